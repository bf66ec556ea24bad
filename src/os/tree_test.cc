#include <fcntl.h>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/file.h"
#include "os/temp_dir.h"

namespace muster::os {
namespace {

using testing::HasSubstr;

mode_t ModeOf(const Path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

bool Exists(const Path& path) {
  return std::filesystem::exists(std::filesystem::symlink_status(path));
}

void Touch(const Path& path, std::string_view content = "x") {
  ASSERT_TRUE(MakeDirs(path.parent_path()));
  ASSERT_TRUE(WriteFileAtomic(path, content, 0644, false));
}

// A chain of folders deeper than the number of descriptors that a walk may hold.
void MakeDeep(const Path& root, int depth) {
  ASSERT_TRUE(MakeDirs(root));
  auto fd = Open(root, O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < depth; ++i) {
    ASSERT_EQ(::mkdirat(fd->get(), "d", 0755), 0);
    *fd = Fd(::openat(fd->get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(*fd);
  }
}

TEST(MakeDirsTest, CreatesAllFoldersAndCanBeRepeated) {
  const TempDir dir;
  EXPECT_TRUE(MakeDirs(dir / "a/b/c", 0700));
  EXPECT_TRUE(MakeDirs(dir / "a/b/c/"));
  EXPECT_EQ(ModeOf(dir / "a/b/c"), 0700u);
}

TEST(MakeDirsTest, ErrorNamesTheFileInTheWay) {
  const TempDir dir;
  Touch(dir / "file");
  const auto status = MakeDirs(dir / "file/below");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().text, HasSubstr((dir / "file").string()));
}

TEST(RemoveTreeTest, RemovesEverythingWithoutFollowingLinks) {
  const TempDir dir;
  Touch(dir / "keep/file");
  Touch(dir / "tree/a/b/file");
  std::filesystem::create_directory_symlink(dir / "keep", dir / "tree/a/link");
  EXPECT_TRUE(RemoveTree(dir / "tree"));
  EXPECT_FALSE(Exists(dir / "tree"));
  EXPECT_TRUE(Exists(dir / "keep/file"));
}

TEST(RemoveTreeTest, OfALinkRemovesOnlyTheLink) {
  const TempDir dir;
  Touch(dir / "keep/file");
  std::filesystem::create_directory_symlink(dir / "keep", dir / "link");
  EXPECT_TRUE(RemoveTree(dir / "link"));
  EXPECT_FALSE(Exists(dir / "link"));
  EXPECT_TRUE(Exists(dir / "keep/file"));
}

TEST(RemoveTreeTest, MissingTreeIsNotAnError) {
  const TempDir dir;
  EXPECT_TRUE(RemoveTree(dir / "none"));
}

TEST(RemoveTreeTest, RemovesFoldersWithoutWritePermission) {
  const TempDir dir;
  Touch(dir / "tree/locked/file");
  ::chmod((dir / "tree/locked").c_str(), 0);
  ::chmod((dir / "tree").c_str(), 0500);
  EXPECT_TRUE(RemoveTree(dir / "tree"));
  EXPECT_FALSE(Exists(dir / "tree"));
}

TEST(RemoveTreeTest, RemovesTreesOfAnyDepthAndWidth) {
  const TempDir dir;
  MakeDeep(dir / "tree", 250);
  for (int i = 0; i < 1100; ++i) {
    const auto fd = Open(dir / ("tree/" + std::to_string(i)), O_WRONLY | O_CREAT);
    ASSERT_TRUE(fd);
  }
  const auto status = RemoveTree(dir / "tree");
  EXPECT_TRUE(status) << status.error().text;
  EXPECT_FALSE(Exists(dir / "tree"));
}

TEST(CopyTreeTest, KeepsContentModesAndLinks) {
  const TempDir dir;
  const std::string large(3 << 20, 'y');
  Touch(dir / "from/a/run.sh", large);
  Touch(dir / "from/empty", "");
  ::chmod((dir / "from/a/run.sh").c_str(), 0755);
  std::filesystem::create_symlink("../elsewhere", dir / "from/a/link");
  ::chmod((dir / "from/a").c_str(), 0555);
  const auto status = CopyTree(dir / "from", dir / "to");
  ASSERT_TRUE(status) << status.error().text;
  EXPECT_EQ(ReadFile(dir / "to/a/run.sh"), large);
  EXPECT_EQ(ReadFile(dir / "to/empty"), "");
  EXPECT_EQ(ModeOf(dir / "to/a/run.sh"), 0755u);
  EXPECT_EQ(ModeOf(dir / "to/a"), 0555u);
  EXPECT_EQ(std::filesystem::read_symlink(dir / "to/a/link"), "../elsewhere");
}

TEST(CopyTreeTest, CancelledCopyEndsSoonAndLeavesNothing) {
  const TempDir dir;
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(WriteFileAtomic(dir / ("f" + std::to_string(i)), "x", 0644, false));
  ASSERT_TRUE(MakeDirs(dir / "to"));
  std::filesystem::create_directories(dir / "from");
  for (int i = 0; i < 10; ++i)
    std::filesystem::rename(dir / ("f" + std::to_string(i)),
                            dir / "from" / ("f" + std::to_string(i)));
  int asked = 0;
  const auto status = CopyTree(dir / "from", dir / "to/copy", [&] { return ++asked < 5; });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().sys, ECANCELED);
  EXPECT_EQ(asked, 5);
  EXPECT_FALSE(std::filesystem::exists(dir / "to/copy"));
}

TEST(CopyTreeTest, CopiesASingleFile) {
  const TempDir dir;
  Touch(dir / "f", "content");
  ASSERT_TRUE(CopyTree(dir / "f", dir / "g"));
  EXPECT_EQ(ReadFile(dir / "g"), "content");
}

TEST(CopyTreeTest, CopiesFilesOfUnknownSize) {
  const TempDir dir;
  ASSERT_TRUE(CopyTree("/proc/self/status", dir / "status"));
  EXPECT_THAT(*ReadFile(dir / "status"), HasSubstr("Pid:"));
}

TEST(CopyTreeTest, SkipsPipesAndSockets) {
  const TempDir dir;
  Touch(dir / "from/file");
  ASSERT_EQ(::mkfifo((dir / "from/pipe").c_str(), 0600), 0);
  ASSERT_TRUE(CopyTree(dir / "from", dir / "to"));
  EXPECT_TRUE(Exists(dir / "to/file"));
  EXPECT_FALSE(Exists(dir / "to/pipe"));
}

TEST(CopyTreeTest, RejectsAnExistingTarget) {
  const TempDir dir;
  Touch(dir / "from/file");
  Touch(dir / "to/precious");
  EXPECT_EQ(CopyTree(dir / "from", dir / "to").error().code, Code::kExists);
  EXPECT_TRUE(Exists(dir / "to/precious"));
}

TEST(CopyTreeTest, RejectsATargetInsideTheSource) {
  const TempDir dir;
  Touch(dir / "from/file");
  EXPECT_EQ(CopyTree(dir / "from", dir / "from/sub").error().code, Code::kInvalid);
  EXPECT_TRUE(CopyTree(dir / "from", dir / "from2"));
}

TEST(CopyTreeTest, LeavesNothingAfterAFailure) {
  const TempDir dir;
  Touch(dir / "from/file");
  MakeDeep(dir / "from/deep", 200);
  EXPECT_EQ(CopyTree(dir / "from", dir / "to").error().code, Code::kTooLarge);
  EXPECT_FALSE(Exists(dir / "to"));
  EXPECT_EQ(CopyTree(dir / "none", dir / "to").error().code, Code::kNotFound);
}

}  // namespace
}  // namespace muster::os
