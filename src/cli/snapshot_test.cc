#include "cli/snapshot.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/temp_dir.h"

namespace muster::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Paths(const Snapshot& snapshot) {
  std::vector<std::string> paths;
  for (const SnapshotFile& file : snapshot.files) paths.push_back(file.path);
  return paths;
}

class SnapshotTest : public testing::Test {
 protected:
  Result<Snapshot> Scan() const { return ScanFolder(dir_.path(), options_); }
  std::vector<std::string> ScannedPaths() const {
    const auto snapshot = Scan();
    EXPECT_TRUE(snapshot) << snapshot.error().text;
    return snapshot ? Paths(*snapshot) : std::vector<std::string>{};
  }

  os::TempDir dir_;
  SnapshotOptions options_;
};

TEST_F(SnapshotTest, FilesHavePathSizeModeAndHash) {
  dir_.Write("train.py", "print(1)\n");
  dir_.Write("tools/run.sh", "#!/bin/sh\n", 0755);
  dir_.Write("empty", "");
  auto snapshot = Scan();
  ASSERT_TRUE(snapshot) << snapshot.error().text;
  ASSERT_TRUE(HashFiles(*snapshot, options_));
  EXPECT_THAT(Paths(*snapshot), ElementsAre("empty", "tools/run.sh", "train.py"));
  EXPECT_EQ(snapshot->bytes, 19);
  EXPECT_TRUE(snapshot->files[1].executable);
  EXPECT_FALSE(snapshot->files[2].executable);
  EXPECT_EQ(snapshot->files[2].sha256, os::Sha256("print(1)\n"));
  EXPECT_EQ(snapshot->files[0].sha256, os::Sha256(""));
}

TEST_F(SnapshotTest, ManifestListsEveryFile) {
  dir_.Write("a", "1");
  ASSERT_EQ(symlink("a", (dir_.path() / "b").c_str()), 0);
  auto snapshot = Scan();
  ASSERT_TRUE(snapshot && HashFiles(*snapshot, options_));
  EXPECT_EQ(ToJson(ManifestJson(*snapshot)),
            R"({"files":[{"path":"a","sha256":")" + os::Sha256("1") +
                R"(","size":1,"executable":false},{"path":"b","sha256":")" + os::Sha256("a") +
                R"(","size":1,"executable":false,"link":"a"}]})");
}

TEST_F(SnapshotTest, IgnoreFilesApplyAtEveryLevel) {
  dir_.Write(".gitignore", "*.log\n/data/\n");
  dir_.Write("a.log", "x");
  dir_.Write("data/set", "x");
  dir_.Write("pkg/data/keep", "x");
  dir_.Write("pkg/.gitignore", "!keep.log\nsecret\n");
  dir_.Write("pkg/keep.log", "x");
  dir_.Write("pkg/secret", "x");
  dir_.Write("secret", "x");
  EXPECT_THAT(ScannedPaths(), ElementsAre(".gitignore", "pkg/.gitignore", "pkg/data/keep",
                                          "pkg/keep.log", "secret"));
}

TEST_F(SnapshotTest, MusterignoreOverridesGitignoreInTheSameFolder) {
  dir_.Write(".gitignore", "weights.bin\n");
  dir_.Write(".musterignore", "!weights.bin\nnotes/\n");
  dir_.Write("weights.bin", "x");
  dir_.Write("notes/a", "x");
  EXPECT_THAT(ScannedPaths(), ElementsAre(".gitignore", ".musterignore", "weights.bin"));
}

TEST_F(SnapshotTest, GitFolderIsNeverIncluded) {
  dir_.Write(".git/config", "x");
  dir_.Write("sub/.git/config", "x");
  dir_.Write(".gitmodules", "x");
  EXPECT_THAT(ScannedPaths(), ElementsAre(".gitmodules"));
}

TEST_F(SnapshotTest, EmptyFolderIsAnEmptySnapshot) { EXPECT_THAT(ScannedPaths(), IsEmpty()); }

TEST_F(SnapshotTest, SocketsAndPipesAreSkippedWithANote) {
  dir_.Write("train.py", "x");
  ASSERT_EQ(mkfifo((dir_.path() / "pipe").c_str(), 0600), 0);
  const int socket_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (dir_.path() / "sock").string();
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(bind(socket_fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  close(socket_fd);
  const auto snapshot = Scan();
  ASSERT_TRUE(snapshot);
  EXPECT_THAT(Paths(*snapshot), ElementsAre("train.py"));
  EXPECT_THAT(snapshot->notes, ElementsAre("left out of the code (not a file): pipe, sock"));
}

TEST_F(SnapshotTest, VirtualEnvironmentsAndDataFoldersAreSkippedWithANote) {
  dir_.Write("train.py", "x");
  dir_.Write("venv/pyvenv.cfg", "home = /usr/bin\n");
  dir_.Write("venv/lib/x.py", "x");
  std::filesystem::create_directory(dir_.path() / "venv/bin");
  ASSERT_EQ(symlink("/usr/bin/python3", (dir_.path() / "venv/bin/python").c_str()), 0);
  dir_.Write("runs/journal.db", "x");
  dir_.Write("runs/jobs/1/spec.json", "x");
  const auto snapshot = Scan();
  ASSERT_TRUE(snapshot) << snapshot.error().text;
  EXPECT_THAT(Paths(*snapshot), ElementsAre("train.py"));
  EXPECT_THAT(snapshot->notes, ElementsAre(HasSubstr("venv/"), HasSubstr("runs/")));
}

TEST_F(SnapshotTest, ExcludedPartNamesTheFileOrFolderThatARuleExcludes) {
  dir_.Write(".gitignore", "*.pt\n/data/\n");
  dir_.Write("sub/.musterignore", "local.py\n");
  for (const char* name :
       {"a.pt", "data/x/y.csv", "sub/local.py", "sub/kept.py", "venv/bin/python"})
    dir_.Write(name, "x");
  dir_.Write("venv/pyvenv.cfg", "x");
  const std::pair<std::string, std::string> cases[] = {
      {"a.pt", "a.pt"},    {"data/x/y.csv", "data/"},    {"sub/local.py", "sub/local.py"},
      {"sub/kept.py", ""}, {"venv/bin/python", "venv/"}, {".git/config", ".git/"}};
  for (const auto& [path, part] : cases) {
    const auto found = ExcludedPart(dir_.path(), path);
    ASSERT_TRUE(found) << found.error().text;
    EXPECT_EQ(*found, part) << path;
  }
}

TEST_F(SnapshotTest, DevicesAreSkippedWithANote) {
  if (mknod((dir_.path() / "null").c_str(), S_IFCHR | 0600, 0x103) != 0)
    GTEST_SKIP() << "this user may not make devices";
  const auto snapshot = Scan();
  ASSERT_TRUE(snapshot);
  EXPECT_THAT(snapshot->notes, ElementsAre(HasSubstr("null")));
}

TEST_F(SnapshotTest, FolderMayBeGivenAsALink) {
  dir_.Write("real/train.py", "x");
  ASSERT_EQ(symlink("real", (dir_.path() / "link").c_str()), 0);
  const auto snapshot = ScanFolder(dir_.path() / "link", options_);
  ASSERT_TRUE(snapshot) << snapshot.error().text;
  EXPECT_EQ(snapshot->root, dir_.path() / "real");
  EXPECT_THAT(Paths(*snapshot), ElementsAre("train.py"));
}

TEST_F(SnapshotTest, LinksInsideTheFolderAreKept) {
  dir_.Write("pkg/a.py", "x");
  ASSERT_EQ(symlink("../pkg/a.py", (dir_.path() / "pkg/b.py").c_str()), 0);
  ASSERT_EQ(symlink("nowhere-yet", (dir_.path() / "dangling").c_str()), 0);
  ASSERT_EQ(symlink((dir_.path() / "pkg/a.py").c_str(), (dir_.path() / "absolute").c_str()), 0);
  const auto snapshot = Scan();
  ASSERT_TRUE(snapshot) << snapshot.error().text;
  ASSERT_THAT(Paths(*snapshot), ElementsAre("absolute", "dangling", "pkg/a.py", "pkg/b.py"));
  EXPECT_EQ(snapshot->files[0].link, "pkg/a.py");
  EXPECT_EQ(snapshot->files[1].link, "nowhere-yet");
  EXPECT_EQ(snapshot->files[3].link, "../pkg/a.py");
  EXPECT_EQ(snapshot->files[3].sha256, os::Sha256("../pkg/a.py"));
}

TEST_F(SnapshotTest, LinksOutOfTheFolderAreRejectedByName) {
  ASSERT_EQ(symlink("/etc/passwd", (dir_.path() / "password").c_str()), 0);
  ASSERT_EQ(symlink("../other", (dir_.path() / "up").c_str()), 0);
  const auto snapshot = Scan();
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.error().code, Code::kInvalid);
  EXPECT_THAT(snapshot.error().text, HasSubstr("password -> /etc/passwd, up -> ../other"));
  EXPECT_THAT(snapshot.error().next, HasSubstr(".musterignore"));
}

TEST_F(SnapshotTest, LinkOutOfTheFolderThroughAnotherLinkIsRejected) {
  // Its text stays inside; behind the link `deep/up` its ".." leads out of the folder.
  dir_.Write("deep/er/file", "x");
  dir_.Write("top/file", "x");
  ASSERT_EQ(symlink("../../top", (dir_.path() / "deep/er/up").c_str()), 0);
  ASSERT_EQ(symlink("deep/er/up/../../..", (dir_.path() / "sly").c_str()), 0);
  const auto snapshot = Scan();
  ASSERT_FALSE(snapshot);
  EXPECT_THAT(snapshot.error().text, HasSubstr("sly -> "));
}

TEST_F(SnapshotTest, IgnoredLinksMayLeadAnywhere) {
  dir_.Write(".musterignore", "venv\n");
  ASSERT_EQ(symlink("/usr", (dir_.path() / "venv").c_str()), 0);
  EXPECT_THAT(ScannedPaths(), ElementsAre(".musterignore"));
}

TEST_F(SnapshotTest, MissingFolderAndFileAreRejected) {
  const auto missing = ScanFolder(dir_.path() / "nope", options_);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::kNotFound);
  EXPECT_THAT(missing.error().text, HasSubstr("nope"));
  const auto file = ScanFolder(dir_.Write("train.py", "x"), options_);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, Code::kInvalid);
  EXPECT_THAT(file.error().text, HasSubstr("is a file, expected a folder"));
}

TEST_F(SnapshotTest, LoopOfLinksAsFolderIsRejected) {
  ASSERT_EQ(symlink("b", (dir_.path() / "a").c_str()), 0);
  ASSERT_EQ(symlink("a", (dir_.path() / "b").c_str()), 0);
  EXPECT_FALSE(ScanFolder(dir_.path() / "a", options_));
}

// Runs as an unprivileged user, because root may read everything.
class AsNobody {
 public:
  AsNobody() {
    if (geteuid() == 0) changed_ = seteuid(65534) == 0;
  }
  ~AsNobody() {
    if (changed_ && seteuid(0) != 0) abort();
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  bool changed_ = false;
};

TEST_F(SnapshotTest, UnreadableFileIsRejected) {
  chmod(dir_.path().c_str(), 0755);
  dir_.Write("secret", "x", 0000);
  const AsNobody nobody;
  const auto snapshot = Scan();
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.error().code, Code::kDenied);
  EXPECT_THAT(snapshot.error().text, HasSubstr("secret"));
  EXPECT_THAT(snapshot.error().next, HasSubstr(".musterignore"));
}

TEST_F(SnapshotTest, UnreadableFolderIsRejected) {
  chmod(dir_.path().c_str(), 0755);
  dir_.Write("locked/x", "x");
  chmod((dir_.path() / "locked").c_str(), 0000);
  {
    const AsNobody nobody;
    const auto snapshot = Scan();
    ASSERT_FALSE(snapshot);
    EXPECT_EQ(snapshot.error().code, Code::kDenied);
    EXPECT_THAT(snapshot.error().text, HasSubstr("locked"));
  }
  chmod((dir_.path() / "locked").c_str(), 0755);
}

TEST_F(SnapshotTest, NamesThatAreNotUtf8AreRejected) {
  std::ofstream(dir_.path() / "bad\xff") << "x";
  const auto snapshot = Scan();
  ASSERT_FALSE(snapshot);
  EXPECT_THAT(snapshot.error().text, HasSubstr("not UTF-8"));
}

TEST_F(SnapshotTest, LimitErrorNamesTheLargestFolders) {
  options_.limit = 1000;
  dir_.Write("data/raw/big", std::string(3000, 'x'));
  dir_.Write("runs/1/log", std::string(500, 'x'));
  dir_.Write("train.py", std::string(100, 'x'));
  for (int i = 0; i < 5; ++i)
    dir_.Write("m" + std::to_string(i) + "/f", std::string(size_t(10 + i), 'x'));
  const auto snapshot = Scan();
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.error().code, Code::kTooLarge);
  EXPECT_THAT(snapshot.error().text, HasSubstr("data/raw/ 2.9 KiB, runs/1/ 500 B, "));
  EXPECT_THAT(snapshot.error().text, testing::Not(HasSubstr("m0")));
  EXPECT_THAT(snapshot.error().next, HasSubstr("--code-limit"));
}

TEST_F(SnapshotTest, ScanStopsAboveTheNumberOfFiles) {
  options_.max_files = 3;
  for (int i = 0; i < 5; ++i) dir_.Write("f" + std::to_string(i), "x");
  const auto snapshot = Scan();
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.error().code, Code::kTooLarge);
}

TEST_F(SnapshotTest, FileThatChangesOnceIsReadAgain) {
  const os::Path file = dir_.Write("train.py", "old");
  int reads = 0;
  options_.after_read_for_test = [&](const os::Path& path) {
    if (++reads == 1) std::ofstream(path) << "newer";
  };
  auto snapshot = Scan();
  ASSERT_TRUE(snapshot);
  ASSERT_TRUE(HashFiles(*snapshot, options_));
  EXPECT_EQ(reads, 2);
  EXPECT_EQ(snapshot->files[0].sha256, os::Sha256("newer"));
  EXPECT_EQ(snapshot->bytes, 5);
}

TEST_F(SnapshotTest, FileThatKeepsChangingIsRejectedByName) {
  dir_.Write("train.py", "old");
  options_.after_read_for_test = [](const os::Path& path) {
    std::ofstream(path, std::ios::app) << "more";
  };
  auto snapshot = Scan();
  ASSERT_TRUE(snapshot);
  const Status status = HashFiles(*snapshot, options_);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kConflict);
  EXPECT_THAT(status.error().text, HasSubstr("train.py"));
}

TEST_F(SnapshotTest, FileRemovedBeforeReadingIsAnError) {
  const os::Path file = dir_.Write("train.py", "old");
  auto snapshot = Scan();
  ASSERT_TRUE(snapshot);
  unlink(file.c_str());
  EXPECT_FALSE(HashFiles(*snapshot, options_));
}

}  // namespace
}  // namespace muster::cli
