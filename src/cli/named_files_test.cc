#include "cli/named_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/temp_dir.h"

namespace muster::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class NamedFilesTest : public testing::Test {
 protected:
  NamedFilesTest() {
    for (const char* name : {"train.py", "run.sh", "train", "conf/a.yaml", "pkg/train.py",
                             "app/__main__.py", "../outside-x/t.py"})
      (void)dir_.Write(std::string("here/") + name, "x");
  }
  std::vector<std::string> Found(Command run, Pairs parameters = {}) const {
    JobSpec spec;
    spec.roles.push_back({.run = std::move(run), .parameters = std::move(parameters)});
    std::vector<std::string> found;
    for (const NamedPath& one : FindNamedPaths(spec, dir_.path() / "here"))
      found.push_back(one.path + (one.is_folder ? "/" : "") + (one.IsNeeded() ? "!" : ""));
    return found;
  }
  std::vector<std::string> Text(std::string text) const { return Found({std::move(text), {}}); }
  std::vector<std::string> List(std::vector<std::string> words) const {
    return Found({"", std::move(words)});
  }

  os::TempDir dir_;
};

TEST_F(NamedFilesTest, ScriptsAndFilesAreFoundInTextsAndLists) {
  EXPECT_THAT(Text("train.py"), ElementsAre("train.py!"));
  EXPECT_THAT(Text("python3 -u ./train.py --config conf/a.yaml"),
              ElementsAre("train.py!", "conf/a.yaml!"));
  EXPECT_THAT(List({"torchrun", "--nproc_per_node=2", "train.py", "--config=conf/a.yaml"}),
              ElementsAre("train.py!", "conf/a.yaml!"));
  EXPECT_THAT(List({"./train", "x"}), ElementsAre("train!"));
  EXPECT_THAT(Found({"python3 x.py", {}}, {{"config", "conf/a.yaml"}}),
              ElementsAre("conf/a.yaml!"));
}

TEST_F(NamedFilesTest, TextOfAShellIsLookedInto) {
  EXPECT_THAT(List({"bash", "-lc", "cd pkg && python3 train.py; cat conf/a.yaml"}),
              ElementsAre("pkg/", "train.py!", "conf/a.yaml"));
  EXPECT_THAT(Text("(./run.sh \"$X\") > log"), ElementsAre("run.sh!"));
}

TEST_F(NamedFilesTest, ModulesAreFoundByTheirNames) {
  EXPECT_THAT(Text("python3 -m pkg.train"), ElementsAre("pkg/train.py!"));
  EXPECT_THAT(List({"python3", "-m", "app"}), ElementsAre("app/__main__.py!"));
  EXPECT_THAT(Text("python3 -m torch.distributed.run x"), IsEmpty());
}

TEST_F(NamedFilesTest, WordsThatAreNoPathsAreNotNeeded) {
  EXPECT_THAT(Text("echo train"), ElementsAre("train"));
  EXPECT_THAT(Text("ls pkg"), IsEmpty());
  EXPECT_THAT(Text("ls pkg/"), ElementsAre("pkg//"));
  EXPECT_THAT(Text("echo . .. / ~ - --x= s3://b/train.py"), IsEmpty());
  EXPECT_THAT(List({std::string(10'000, 'x')}), IsEmpty());
}

TEST_F(NamedFilesTest, PathsOutOfTheFolderAreMarked) {
  JobSpec spec;
  spec.roles.push_back({.run = {"python3 ../outside-x/t.py", {}}});
  const auto found = FindNamedPaths(spec, dir_.path() / "here");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].LeavesFolder());
}

TEST_F(NamedFilesTest, OwnModulesOfAScriptAreFilesBesideIt) {
  dir_.Write("here/pkg/helper.py", "");
  dir_.Write("here/pkg/lib/__init__.py", "");
  dir_.Write("here/pkg/main.py",
             "import os, helper\nfrom lib.x import y\nimport torch\nfrom . import z\n");
  EXPECT_THAT(FindOwnModules(dir_.path() / "here", "pkg/main.py"),
              ElementsAre("pkg/helper.py", "pkg/lib/__init__.py"));
}

}  // namespace
}  // namespace muster::cli
