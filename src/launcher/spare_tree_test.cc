#include "launcher/spare_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include <gtest/gtest.h>

#include "launcher/input_cache.h"
#include "launcher/link_tree.h"
#include "launcher/stage_back.h"
#include "os/temp_dir.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

class SpareTreeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto lock = cache_.LockToFetch(key_, [] {});
    ASSERT_TRUE(lock) << lock.error().text;
    const os::Path part = cache_.Part(key_) / "data";
    ASSERT_TRUE(os::MakeDirs(part / "deep/empty"));
    ASSERT_TRUE(os::WriteFileAtomic(part / "deep/file", "deep", 0644, false));
    ASSERT_TRUE(os::WriteFileAtomic(part / "top", "top", 0644, false));
    const auto sealed = cache_.Seal(key_);
    ASSERT_TRUE(sealed) << sealed.error().text;
  }

  // Links the files for a job that finds no spare tree.
  void LinkTo(const os::Path& to) {
    const auto files = cache_.Look(key_);
    ASSERT_TRUE(files) << files.error().text;
    ASSERT_TRUE(LinkTree(cache_.Data(key_), *files, to));
  }
  bool Take(const os::Path& to) const {
    const SpareTree spare = cache_.Spare(key_);
    const auto lock = spare.Lock();
    return lock && spare.Take(to);
  }
  bool HasSpare() const {
    for (const auto& one : fs::directory_iterator(entry_))
      if (one.path().filename().string().starts_with("spare-")) return true;
    return false;
  }

  os::TempDir dir_;
  const std::string key_ = std::string(64, 'a');
  InputCache cache_ = InputCache::In(dir_.path(), 0);
  const os::Path entry_ = dir_ / "cache/inputs" / key_, job_ = dir_ / "job", next_ = dir_ / "next";
};

TEST_F(SpareTreeTest, UnchangedLinksAreReusedByTheNextJob) {
  EXPECT_FALSE(Take(next_));
  LinkTo(job_);
  EXPECT_TRUE(cache_.GiveBack(key_, job_));
  EXPECT_FALSE(fs::exists(job_));
  ASSERT_TRUE(Take(next_));
  EXPECT_EQ(os::ReadFile(next_ / "deep/file"), "deep");
  EXPECT_EQ(os::ReadFile(next_ / "top"), "top");
  EXPECT_TRUE(fs::is_directory(next_ / "deep/empty"));
  EXPECT_FALSE(HasSpare());
  EXPECT_TRUE(cache_.Look(key_));
  EXPECT_TRUE(cache_.GiveBack(key_, next_));  // a second time
}

// A platform's view has the folder mounted before the fetch begins.
TEST_F(SpareTreeTest, EmptyTargetFolderStaysTheSameFolder) {
  LinkTo(job_);
  ASSERT_TRUE(cache_.GiveBack(key_, job_));
  ASSERT_TRUE(os::MakeDirs(next_));
  const auto mounted = os::Open(next_, O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(mounted);
  ASSERT_TRUE(Take(next_));
  struct stat before = {}, after = {};
  ASSERT_EQ(::fstat(mounted->get(), &before), 0);
  ASSERT_EQ(::stat(next_.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(os::ReadFile(next_ / "deep/file"), "deep");
  EXPECT_EQ(os::ReadFile(next_ / "top"), "top");
  EXPECT_TRUE(fs::is_directory(next_ / "deep/empty"));
  EXPECT_FALSE(HasSpare());
  EXPECT_TRUE(cache_.GiveBack(key_, next_));
}

TEST_F(SpareTreeTest, ChangedTreeIsNotReused) {
  const std::pair<const char*, std::function<void()>> changes[] = {
      {"a file more", [&] { ASSERT_TRUE(os::WriteFileAtomic(job_ / "deep/more", "")); }},
      {"a file less", [&] { fs::remove(job_ / "top"); }},
      {"a folder more", [&] { fs::create_directory(job_ / "folder"); }},
      {"a folder less", [&] { fs::remove(job_ / "deep/empty"); }},
      {"a link more", [&] { fs::create_symlink("/etc", job_ / "deep/empty/etc"); }},
      {"a pipe more", [&] { ASSERT_EQ(::mkfifo((job_ / "pipe").c_str(), 0600), 0); }},
      {"another file of that name", [&] { ASSERT_TRUE(os::WriteFileAtomic(job_ / "top", "TOP")); }},
      {"a link in its place",
       [&] {
         fs::remove(job_ / "top");
         fs::create_symlink(entry_ / "data/top", job_ / "top");
       }},
      {"a folder that cannot be written to",
       [&] { fs::permissions(job_ / "deep", fs::perms::owner_read | fs::perms::owner_exec); }},
      {"a folder that anybody can write to",
       [&] { fs::permissions(job_ / "deep", fs::perms::all); }},
  };
  for (const auto& [what, change] : changes) {
    LinkTo(job_);
    change();
    EXPECT_FALSE(cache_.GiveBack(key_, job_)) << what;
    EXPECT_FALSE(HasSpare()) << what;
    fs::permissions(job_ / "deep", fs::perms::owner_all);
    ASSERT_TRUE(os::RemoveTree(job_));
    EXPECT_TRUE(cache_.Look(key_)) << what;
  }
}

TEST_F(SpareTreeTest, ModifiedFileInvalidatesTreeAndEntry) {
  LinkTo(job_);
  ASSERT_EQ(::chmod((job_ / "top").c_str(), 0644), 0);
  {
    const auto fd = os::Open(job_ / "top", O_WRONLY | O_APPEND);
    ASSERT_TRUE(fd);
    ASSERT_TRUE(os::WriteAll(fd->get(), "more"));
  }
  ASSERT_EQ(::chmod((job_ / "top").c_str(), 0444), 0);
  EXPECT_FALSE(cache_.GiveBack(key_, job_));
  EXPECT_EQ(cache_.Look(key_).error().code, Code::kCorrupt);
}

TEST_F(SpareTreeTest, TreeIsNotReusedWhileAnotherJobHasTheFiles) {
  LinkTo(job_);
  LinkTo(next_);
  EXPECT_FALSE(cache_.GiveBack(key_, job_));
  ASSERT_TRUE(os::RemoveTree(job_));
  EXPECT_TRUE(cache_.GiveBack(key_, next_));
}

TEST_F(SpareTreeTest, SpareThatCannotBeMovedIsRemovedBeforeLinking) {
  LinkTo(job_);
  ASSERT_TRUE(cache_.GiveBack(key_, job_));
  ASSERT_TRUE(os::MakeDirs(next_ / "something"));
  EXPECT_FALSE(Take(next_));
  EXPECT_FALSE(HasSpare());
  EXPECT_TRUE(cache_.Look(key_));
}

TEST_F(SpareTreeTest, SpareOfAnotherBootIsNotUsed) {
  LinkTo(entry_ / "spare-00000000-0000-0000-0000-000000000000");
  EXPECT_FALSE(Take(next_));
  EXPECT_FALSE(HasSpare());
}

TEST_F(SpareTreeTest, RemovedEntryAcceptsNoTree) {
  LinkTo(job_);
  ASSERT_TRUE(cache_.Discard(key_));
  EXPECT_FALSE(cache_.GiveBack(key_, job_));
  EXPECT_TRUE(fs::exists(job_));
}

TEST_F(SpareTreeTest, AttemptReturnsItsInputs) {
  const os::Path attempt = dir_ / "attempt";
  ASSERT_TRUE(os::MakeDirs(attempt / "staged"));
  for (const auto& [name, below] : {std::pair("data", ""), std::pair("named", "leaf")}) {
    ASSERT_TRUE(os::WriteFileAtomic(attempt / "staged" / name, key_, 0644, false));
    LinkTo(attempt / "inputs" / name / below);
    const auto back = StageBack(attempt, dir_.path());
    EXPECT_TRUE(back) << back.error().text;
    EXPECT_FALSE(fs::exists(attempt / "inputs"));
    EXPECT_TRUE(HasSpare());
    ASSERT_TRUE(Take(next_));
    ASSERT_TRUE(os::RemoveTree(next_));
    fs::remove(attempt / "staged" / name);
  }
}

TEST_F(SpareTreeTest, MarksWithoutAnEntryAreIgnored) {
  const os::Path attempt = dir_ / "attempt";
  ASSERT_TRUE(os::MakeDirs(attempt / "inputs/data"));
  ASSERT_TRUE(os::MakeDirs(attempt / "staged/folder"));
  ASSERT_TRUE(os::WriteFileAtomic(attempt / "staged/data", "../../etc", 0644, false));
  ASSERT_TRUE(os::WriteFileAtomic(attempt / "staged/gone", std::string(64, 'b'), 0644, false));
  EXPECT_TRUE(StageBack(attempt, dir_.path()));
  EXPECT_FALSE(fs::exists(attempt / "inputs"));
  EXPECT_TRUE(StageBack(dir_ / "nothing", dir_.path()));
}

}  // namespace
}  // namespace muster::launcher
