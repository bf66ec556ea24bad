#include "launcher/companions.h"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/temp_dir.h"

namespace muster::launcher {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kEndpoint =
    R"({"url":"http://127.0.0.1:1","token":"t","pid":1,"s3":{"endpoint":"http://127.0.0.1:2",)"
    R"("access_key":"AK","secret_key":"SK","region":"r"}})";

class CompanionsTest : public testing::Test {
 protected:
  CompanionsTest() {
    setenv("HOME", dir_.path().c_str(), 1);
    order_.attempt_dir = (dir_.path() / "jobs/1/attempts/1").string();
  }

  void WriteEndpoint(const std::string& text) const {
    ASSERT_TRUE(os::MakeDirs(order_.attempt_dir));
    ASSERT_TRUE(
        os::WriteFileAtomic(os::Path(order_.attempt_dir) / "store.json", text, 0600, false));
  }
  Environment After(std::vector<std::string> entries) const {
    Environment environment = Environment::Of(entries);
    Companions::For(order_).AddTo(environment);
    return environment;
  }

  os::TempDir dir_;
  NodeOrder order_;
};

TEST_F(CompanionsTest, PackagesAreWrittenOnceAndCompletely) {
  ASSERT_TRUE(LayOutCompanions(dir_.path()));
  const os::Path folder = After({}).Get("PYTHONPATH");
  EXPECT_EQ(folder.parent_path(), dir_.path() / "python");
  for (const CompanionFile& file : CompanionFiles())
    EXPECT_EQ(os::ReadFile(folder / file.path), std::string(file.text)) << file.path;
  struct stat before{}, after{};
  ASSERT_EQ(stat(folder.c_str(), &before), 0);
  ASSERT_TRUE(LayOutCompanions(dir_.path()));
  ASSERT_EQ(stat(folder.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(CompanionsTest, IncompletePackagesAreReplaced) {
  ASSERT_TRUE(LayOutCompanions(dir_.path()));
  const os::Path folder = After({}).Get("PYTHONPATH");
  const os::Path file = folder / CompanionFiles().front().path;
  ASSERT_TRUE(os::WriteFileAtomic(file, "cut off", 0644, false));
  EXPECT_FALSE(After({}).Has("PYTHONPATH"));
  ASSERT_TRUE(os::MakeDirs(dir_.path() / "python/new/moxing"));
  ASSERT_TRUE(LayOutCompanions(dir_.path()));
  EXPECT_EQ(After({}).Get("PYTHONPATH"), folder);
  EXPECT_EQ(os::ReadFile(file), std::string(CompanionFiles().front().text));
  EXPECT_FALSE(std::filesystem::exists(dir_.path() / "python/new"));
}

TEST_F(CompanionsTest, CompletePackagesAreNotCheckedAgain) {
  ASSERT_TRUE(LayOutCompanions(dir_.path()));
  const std::string whole = Companions::For(order_).packages();
  ASSERT_FALSE(whole.empty());
  ASSERT_TRUE(os::RemoveTree(os::Path(whole) / CompanionFiles().front().path));
  EXPECT_EQ(Companions::For(order_, whole).packages(), whole);
  EXPECT_EQ(Companions::For(order_, "/elsewhere").packages(), "");
}

TEST_F(CompanionsTest, PackagesAreFirstOnThePathAndOnce) {
  ASSERT_TRUE(LayOutCompanions(dir_.path()));
  const Environment once = After({"PYTHONPATH=/mine:/too"});
  EXPECT_THAT(once.Get("PYTHONPATH"), EndsWith(":/mine:/too"));
  EXPECT_THAT(once.Get("PYTHONPATH"), StartsWith((dir_.path() / "python").string()));
  EXPECT_EQ(After(once.entries()).entries(), once.entries());
}

TEST_F(CompanionsTest, StoreIsInTheVariablesOfItsClients) {
  WriteEndpoint(kEndpoint);
  const Environment environment = After({});
  EXPECT_EQ(environment.Get("S3_ENDPOINT"), "http://127.0.0.1:2");
  EXPECT_EQ(environment.Get("S3_USE_HTTPS"), "0");
  EXPECT_EQ(environment.Get("ACCESS_KEY_ID"), "AK");
  EXPECT_EQ(environment.Get("SECRET_ACCESS_KEY"), "SK");
  EXPECT_EQ(environment.Get("AWS_ENDPOINT_URL_S3"), "http://127.0.0.1:2");
  EXPECT_EQ(environment.Get("AWS_ACCESS_KEY_ID"), "AK");
  EXPECT_EQ(environment.Get("AWS_SECRET_ACCESS_KEY"), "SK");
  EXPECT_EQ(environment.Get("AWS_REGION"), "r");
  EXPECT_EQ(environment.Get("OBS_ACCESS_KEY_ID"), "AK");
  EXPECT_EQ(environment.Get("MUSTER_ENDPOINT_FILE"), order_.attempt_dir + "/store.json");
  EXPECT_EQ(environment.Get("MUSTER_EXECUTABLE"), os::SelfPath().string());
  EXPECT_EQ(After(environment.entries()).entries(), environment.entries());
}

TEST_F(CompanionsTest, KeysOfTheServersOwnerAreNotForRanks) {
  ASSERT_TRUE(os::WriteFileAtomic(dir_.path() / "endpoint.json", kEndpoint, 0600, false));
  const Environment environment = After({});
  EXPECT_FALSE(environment.Has("AWS_ACCESS_KEY_ID"));
  EXPECT_EQ(environment.Get("MUSTER_ENDPOINT_FILE"), order_.attempt_dir + "/store.json");
}

TEST_F(CompanionsTest, StoreOfTheUserIsNotMixedWithTheServers) {
  WriteEndpoint(kEndpoint);
  const Environment aws = After({"AWS_ACCESS_KEY_ID=mine", "AWS_SECRET_ACCESS_KEY=also"});
  EXPECT_EQ(aws.Get("AWS_ACCESS_KEY_ID"), "mine");
  EXPECT_FALSE(aws.Has("AWS_ENDPOINT_URL_S3"));
  EXPECT_TRUE(aws.Has("S3_ENDPOINT"));
  const Environment mox = After({"S3_ENDPOINT=https://obs.example"});
  EXPECT_EQ(mox.Get("S3_ENDPOINT"), "https://obs.example");
  EXPECT_FALSE(mox.Has("ACCESS_KEY_ID"));
  EXPECT_TRUE(mox.Has("AWS_ACCESS_KEY_ID"));
  ASSERT_TRUE(os::MakeDirs(dir_.path() / ".aws"));
  ASSERT_TRUE(os::WriteFileAtomic(dir_.path() / ".aws/config", "", 0600, false));
  EXPECT_FALSE(After({}).Has("AWS_ACCESS_KEY_ID"));
}

TEST_F(CompanionsTest, UnknownStoreSetsNoVariables) {
  for (const char* text : {"", "[]", "{}", R"({"s3":1})", R"({"s3":{"endpoint":"http://h"}})"}) {
    WriteEndpoint(text);
    EXPECT_FALSE(After({}).Has("S3_ENDPOINT")) << text;
  }
  order_.attempt_dir = (dir_.path() / "elsewhere").string();
  WriteEndpoint(kEndpoint);
  EXPECT_THAT(After({}).entries(), IsEmpty());
}

TEST_F(CompanionsTest, ViewKeepsTheNamedFoldersVisible) {
  ASSERT_TRUE(LayOutCompanions(dir_.path()));
  WriteEndpoint(kEndpoint);
  View view;
  Companions::For(order_).KeepIn(view);
  EXPECT_THAT(view.keep, ElementsAre(HasSubstr("/python/"), os::SelfPath().string(),
                                     EndsWith("attempts/1/store.json")));
}

}  // namespace
}  // namespace muster::launcher
