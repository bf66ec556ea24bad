#include "launcher/input_cache.h"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launcher/link_tree.h"
#include "os/temp_dir.h"

namespace muster::launcher {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kNow = int64_t{4} << 40;  // more than a week later than any file here

class InputCacheTest : public ::testing::Test {
 protected:
  static std::string Key(char c) { return std::string(64, c); }

  // Creates an entry with one file of this size.
  void Make(const InputCache& cache, const std::string& key, size_t bytes = 4) {
    const auto lock = cache.LockToFetch(key, [] {});
    ASSERT_TRUE(lock) << lock.error().text;
    ASSERT_TRUE(os::MakeDirs(cache.Part(key) / "data" / "deep" / "empty"));
    ASSERT_TRUE(
        os::WriteFileAtomic(cache.Part(key) / "data" / "deep" / "file", std::string(bytes, 'x')));
    const auto sealed = cache.Seal(key);
    ASSERT_TRUE(sealed) << sealed.error().text;
    const auto used = cache.Use(key);  // and releases it
    ASSERT_TRUE(used);
  }

  os::TempDir dir_;
  InputCache cache_{dir_ / "inputs", 10};
};

TEST_F(InputCacheTest, EntryExistsAfterItIsSealed) {
  const std::string key = Key('a');
  EXPECT_EQ(cache_.Look(key).error().code, Code::kNotFound);
  Make(cache_, key);
  const auto files = cache_.Look(key);
  ASSERT_TRUE(files) << files.error().text;
  ASSERT_EQ(files->size(), 2u);
  EXPECT_EQ((*files)[0].name, "deep/empty/");
  EXPECT_EQ((*files)[1].name, "deep/file");
}

TEST_F(InputCacheTest, ModifiedEntryIsDetected) {
  const std::string key = Key('a');
  Make(cache_, key);
  const os::Path file = cache_.Data(key) / "deep/file";
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  ASSERT_TRUE(os::WriteFileAtomic(file, "longer than before"));
  EXPECT_EQ(cache_.Look(key).error().code, Code::kCorrupt);
  ASSERT_TRUE(cache_.Discard(key));
  EXPECT_EQ(cache_.Look(key).error().code, Code::kNotFound);
}

TEST_F(InputCacheTest, EntryInUseIsNotEvicted) {
  Make(cache_, Key('a'), 8);
  Make(cache_, Key('b'), 8);
  {
    const auto a = cache_.Use(Key('a'));
    const auto b = cache_.Use(Key('b'));
    EXPECT_THAT(cache_.Evict(0), IsEmpty());
  }
  const auto b = cache_.Use(Key('b'));
  EXPECT_THAT(cache_.Evict(0), ElementsAre(Key('a')));
  EXPECT_TRUE(cache_.Look(Key('b')));
  EXPECT_FALSE(cache_.Look(Key('a')));
}

TEST_F(InputCacheTest, PartialDownloadIsRemovedAfterAWeek) {
  ASSERT_TRUE(os::MakeDirs(cache_.Part(Key('a')) / "data"));
  cache_.Evict(0);
  EXPECT_TRUE(std::filesystem::exists(cache_.Part(Key('a'))));
  {
    const auto lock = cache_.LockToFetch(Key('a'), [] {});
    cache_.Evict(kNow);
    EXPECT_TRUE(std::filesystem::exists(cache_.Part(Key('a'))));
  }
  cache_.Evict(kNow);
  EXPECT_FALSE(std::filesystem::exists(cache_.Part(Key('a'))));
}

TEST_F(InputCacheTest, LinkedFilesOutliveTheEntry) {
  const std::string key = Key('a');
  Make(cache_, key, 8);
  const auto files = cache_.Look(key);
  ASSERT_TRUE(files);
  ASSERT_TRUE(LinkTree(cache_.Data(key), *files, dir_ / "job/data"));
  // A repetition changes nothing.
  ASSERT_TRUE(LinkTree(cache_.Data(key), *files, dir_ / "job/data"));
  struct stat ours = {}, theirs = {};
  ASSERT_EQ(::stat((cache_.Data(key) / "deep/file").c_str(), &ours), 0);
  ASSERT_EQ(::stat((dir_ / "job/data/deep/file").c_str(), &theirs), 0);
  EXPECT_EQ(ours.st_ino, theirs.st_ino);
  EXPECT_EQ(theirs.st_mode & 0777, 0444u);
  EXPECT_TRUE(std::filesystem::is_directory(dir_ / "job/data/deep/empty"));
  ASSERT_TRUE(cache_.Discard(key));
  EXPECT_EQ(os::ReadFile(dir_ / "job/data/deep/file"), "xxxxxxxx");
  EXPECT_EQ(LinkTree(cache_.Data(key), *files, dir_ / "other").error().code, Code::kCorrupt);
}

TEST_F(InputCacheTest, FolderReplacedByALinkIsDetected) {
  const std::string key = Key('a');
  Make(cache_, key);
  const os::Path deep = cache_.Data(key) / "deep";
  std::filesystem::rename(deep, dir_ / "elsewhere");
  std::filesystem::create_directory_symlink(dir_ / "elsewhere", deep);
  EXPECT_EQ(cache_.Look(key).error().code, Code::kCorrupt);
}

TEST_F(InputCacheTest, ThousandsOfFilesInManyFoldersAreLinked) {
  const std::string key = Key('a');
  constexpr int kFiles = 4500;
  for (int i = 0; i < kFiles; ++i) {
    const os::Path file = cache_.Part(key) / "data" / std::to_string(i % 70) / std::to_string(i);
    std::filesystem::create_directories(file.parent_path());
    ASSERT_TRUE(os::WriteFileAtomic(file, std::to_string(i), 0644, false));
  }
  ASSERT_TRUE(cache_.Seal(key));
  const auto files = cache_.Look(key);
  ASSERT_TRUE(files) << files.error().text;
  ASSERT_EQ(files->size(), size_t(kFiles));
  ASSERT_TRUE(LinkTree(cache_.Data(key), *files, dir_ / "job"));
  for (int i = 0; i < kFiles; i += 97) {
    const os::Path file = dir_ / "job" / std::to_string(i % 70) / std::to_string(i);
    EXPECT_EQ(os::ReadFile(file), std::to_string(i));
  }
  std::filesystem::remove(cache_.Data(key) / "5" / "75");
  EXPECT_EQ(LinkTree(cache_.Data(key), *files, dir_ / "other").error().code, Code::kCorrupt);
}

TEST_F(InputCacheTest, SourceIsRememberedForAWeek) {
  const KnownSource known{"stamp", Key('a'), 7, false};
  ASSERT_TRUE(os::MakeDirs(dir_ / "inputs"));
  EXPECT_EQ(cache_.Recall("s3://b/x"), std::nullopt);
  cache_.Remember("s3://b/x", known);
  EXPECT_EQ(cache_.Recall("s3://b/x"), known);
  EXPECT_EQ(cache_.Recall("s3://b/y"), std::nullopt);
  cache_.Evict(0);
  EXPECT_EQ(cache_.Recall("s3://b/x"), known);
  cache_.Evict(kNow);
  EXPECT_EQ(cache_.Recall("s3://b/x"), std::nullopt);
}

TEST_F(InputCacheTest, SingleFileIsLinkedAsOrIntoTheTarget) {
  const std::string key = Key('a');
  Make(cache_, key);
  ASSERT_TRUE(os::MakeDirs(dir_ / "folder"));
  ASSERT_TRUE(LinkFile(cache_.Data(key) / "deep", {"file", 4, 0}, dir_ / "job/weights"));
  ASSERT_TRUE(LinkFile(cache_.Data(key) / "deep", {"file", 4, 0}, dir_ / "folder"));
  EXPECT_EQ(os::ReadFile(dir_ / "job/weights"), "xxxx");
  EXPECT_EQ(os::ReadFile(dir_ / "folder/file"), "xxxx");
}

}  // namespace
}  // namespace muster::launcher
