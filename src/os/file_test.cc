#include "os/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/spawn.h"
#include "os/temp_dir.h"

namespace muster::os {
namespace {

using testing::HasSubstr;

TEST(ReadFileTest, ReturnsWrittenContent) {
  const TempDir dir;
  const std::string content(200'000, 'x');
  ASSERT_TRUE(WriteFileAtomic(dir / "f", content));
  EXPECT_EQ(ReadFile(dir / "f"), content);
  EXPECT_EQ(FileSize(dir / "f"), 200'000);
}

TEST(ReadFileTest, RejectsFilesAboveTheLimit) {
  const TempDir dir;
  ASSERT_TRUE(WriteFileAtomic(dir / "f", "12345"));
  EXPECT_EQ(ReadFile(dir / "f", 5), "12345");
  const auto result = ReadFile(dir / "f", 4);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kTooLarge);
  EXPECT_EQ(ReadFile("/dev/zero", 1 << 20).error().code, Code::kTooLarge);
}

TEST(ReadFileTest, ReadsProcFilesOfSizeZero) {
  EXPECT_THAT(*ReadFile("/proc/self/status"), HasSubstr("Pid:"));
}

TEST(ReadFileTest, DoesNotWaitForTheWriterOfAPipe) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(ReadFile(dir / "pipe"), "");
}

TEST(ReadFileTest, ErrorNamesThePathOfAMissingFile) {
  const auto result = ReadFile("/nonexistent/x");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kNotFound);
  EXPECT_THAT(result.error().text, HasSubstr("/nonexistent/x"));
}

TEST(ReadAtTest, ReturnsTheAvailableRange) {
  const TempDir dir;
  ASSERT_TRUE(WriteFileAtomic(dir / "f", "0123456789"));
  EXPECT_EQ(ReadAt(dir / "f", 2, 3), "234");
  EXPECT_EQ(ReadAt(dir / "f", 8, 100), "89");
  EXPECT_EQ(ReadAt(dir / "f", 100, 5), "");
  EXPECT_EQ(ReadAt(dir / "f", 0, INT64_MAX), "0123456789");
  EXPECT_EQ(ReadAt(dir / "f", -1, 5).error().code, Code::kInvalid);
}

TEST(WriteFileAtomicTest, ReplacesTheFileAndLeavesNoTemporary) {
  const TempDir dir;
  ASSERT_TRUE(WriteFileAtomic(dir / "f", "old", 0600));
  ASSERT_TRUE(WriteFileAtomic(dir / "f", "new", 0600, false));
  EXPECT_EQ(ReadFile(dir / "f"), "new");
  struct stat info{};
  ASSERT_EQ(::stat((dir / "f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const std::filesystem::directory_iterator entries(dir.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(WriteFileAtomicTest, KeepsTheOldFileOnFailure) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "taken");
  const auto status = WriteFileAtomic(dir / "taken", "x");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().text, HasSubstr((dir / "taken").string()));
  const std::filesystem::directory_iterator entries(dir.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
  EXPECT_EQ(WriteFileAtomic(dir / "no/such/f", "x").error().code, Code::kNotFound);
  EXPECT_EQ(WriteFileAtomic("/", "x").error().code, Code::kInvalid);
}

TEST(WriteFileAtomicTest, AcceptsNamesOfMaximumLength) {
  const TempDir dir;
  EXPECT_TRUE(WriteFileAtomic(dir / std::string(255, 'n'), "x"));
}

TEST(WriteNewFileTest, WritesInPlaceAndReplacesLeftovers) {
  const TempDir dir;
  ASSERT_TRUE(WriteNewFile(dir / "f", "first", 0600));
  EXPECT_EQ(ReadFile(dir / "f"), "first");
  ASSERT_TRUE(WriteNewFile(dir / "f", "second", 0600));
  EXPECT_EQ(ReadFile(dir / "f"), "second");
  struct stat info{};
  ASSERT_EQ(::stat((dir / "f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const std::filesystem::directory_iterator entries(dir.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
  EXPECT_EQ(WriteNewFile(dir / "no/f", "x", 0600).error().code, Code::kNotFound);
}

TEST(NameFileTest, FileAppearsCompleteAndDoesNotReplaceAnother) {
  const TempDir dir;
  const auto folder = Open(dir.path(), O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(folder);
  const Fd unnamed(::openat(folder->get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644));
  if (!unnamed) GTEST_SKIP() << "this file system has no files without a name";
  ASSERT_TRUE(WriteAll(unnamed.get(), "whole"));
  ASSERT_TRUE(WriteFileAtomic(dir / "taken", "other"));
  EXPECT_EQ(NameFile(unnamed.get(), folder->get(), "taken"), -1);
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(ReadFile(dir / "taken"), "other");
  EXPECT_EQ(NameFile(unnamed.get(), folder->get(), "mine"), 0);
  EXPECT_EQ(ReadFile(dir / "mine"), "whole");
}

TEST(WriteAllTest, ReportsAFullDisk) {
  const auto fd = Open("/dev/full", O_WRONLY);
  ASSERT_TRUE(fd);
  EXPECT_EQ(WriteAll(fd->get(), "x").error().code, Code::kNoSpace);
}

TEST(OpenTest, DescriptorsAreCloseOnExec) {
  const auto fd = Open("/dev/null", O_RDONLY);
  ASSERT_TRUE(fd);
  EXPECT_NE(::fcntl(fd->get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(LockTest, HasOneHolderUntilItIsClosed) {
  const TempDir dir;
  EXPECT_FALSE(IsLocked(dir / "lock"));
  auto first = Open(dir / "lock", O_RDWR | O_CREAT);
  const auto second = Open(dir / "lock", O_RDWR);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(IsLocked(dir / "lock"));
  EXPECT_EQ(TryLock(first->get()), true);
  EXPECT_EQ(TryLock(second->get()), false);
  EXPECT_TRUE(IsLocked(dir / "lock"));
  first->Reset();
  EXPECT_FALSE(IsLocked(dir / "lock"));
  EXPECT_EQ(TryLock(second->get()), true);
}

TEST(LockTest, ChildrenDoNotInheritIt) {
  const TempDir dir;
  auto fd = Open(dir / "lock", O_RDWR | O_CREAT);
  ASSERT_TRUE(fd && TryLock(fd->get()));
  SpawnOptions options;
  options.argv = {"sleep", "1000"};
  const auto child = Spawn(options);
  ASSERT_TRUE(child) << child.error().text;
  fd->Reset();
  EXPECT_FALSE(IsLocked(dir / "lock"));
  ::kill(child->pid, SIGKILL);
  ::waitpid(child->pid, nullptr, 0);
}

TEST(LockTest, InaccessibleFilesCountAsLocked) {
  if (::getuid() == 0) {
    EXPECT_TRUE(IsLocked("/" + std::string(5000, 'x')));  // root may open all files except this one
  } else {
    EXPECT_TRUE(IsLocked("/etc/shadow"));
  }
}

TEST(Sha256Test, MatchesThePublishedDigests) {
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256Test, FileDigestEqualsDigestOfItsBytes) {
  const TempDir dir;
  const std::string content(1 << 20, 'z');
  ASSERT_TRUE(WriteFileAtomic(dir / "f", content));
  EXPECT_EQ(Sha256OfFile(dir / "f"), Sha256(content));
  EXPECT_EQ(Sha256OfFile(dir / "none").error().code, Code::kNotFound);
}

TEST(RandomHexTest, HasTwoDigitsPerByteAndDiffersEachTime) {
  EXPECT_EQ(RandomHex(16).size(), 32u);
  EXPECT_NE(RandomHex(16), RandomHex(16));
  EXPECT_EQ(RandomHex(-1), "");
}

TEST(TemporariesTest, OnlyTemporaryFilesAreRemoved) {
  const TempDir dir;
  const Path abandoned = dir / TemporaryName();
  for (const Path& path : {abandoned, dir / "record", dir / ".new-mine", dir / ".newest"})
    ASSERT_TRUE(WriteFileAtomic(path, "x"));
  std::filesystem::create_directories(dir / "work");
  ASSERT_TRUE(WriteFileAtomic(dir / "work" / abandoned.filename(), "a job's own"));
  RemoveTemporaries(dir.path());
  EXPECT_FALSE(std::filesystem::exists(abandoned));
  for (const Path& kept :
       {dir / "record", dir / ".new-mine", dir / ".newest", dir / "work" / abandoned.filename()})
    EXPECT_TRUE(std::filesystem::exists(kept)) << kept;
  RemoveTemporaries(dir / "missing");
}

class DataDirTest : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("HOME", "/home/u", 1);
    ::unsetenv("MUSTER_DATA");
    ::unsetenv("XDG_DATA_HOME");
  }
  void TearDown() override { SetUp(); }
};

TEST_F(DataDirTest, MostSpecificSettingWins) {
  EXPECT_EQ(DefaultDataDir(), "/home/u/.local/share/muster");
  ::setenv("XDG_DATA_HOME", "relative", 1);
  EXPECT_EQ(DefaultDataDir(), "/home/u/.local/share/muster");
  ::setenv("XDG_DATA_HOME", "/x", 1);
  EXPECT_EQ(DefaultDataDir(), "/x/muster");
  ::setenv("MUSTER_DATA", "/d", 1);
  EXPECT_EQ(DefaultDataDir(), "/d");
}

TEST(SelfPathTest, IsThisExecutable) {
  EXPECT_TRUE(SelfPath().is_absolute());
  EXPECT_TRUE(std::filesystem::equivalent(SelfPath(), "/proc/self/exe"));
}

}  // namespace
}  // namespace muster::os
