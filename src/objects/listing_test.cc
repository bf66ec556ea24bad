#include "objects/listing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "objects/awkward_keys.h"
#include "objects/placement.h"
#include "os/temp_dir.h"

namespace muster::objects {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ListingTest : public testing::Test {
 protected:
  ListingTest()
      : bucket_(Folder::Open(Made("bucket")).value()), tmp_(Folder::Open(Made("tmp")).value()) {}

  os::Path Made(const char* name) {
    EXPECT_TRUE(os::MakeDirs(dir_ / name));
    return dir_ / name;
  }
  // Every second file has a name already, as files from a client on this machine.
  TempFile Holding(const std::string& text) {
    if (++files_ % 2 == 0) {
      EXPECT_TRUE(os::WriteFileAtomic(dir_ / "tmp/x", text, 0644, false));
      return TempFile::Adopt(tmp_, tmp_.Open("x", O_RDWR).value(), "x");
    }
    TempFile file = TempFile::Make({std::shared_ptr<void>(), &tmp_}, nullptr).value();
    EXPECT_TRUE(file.Write(text));
    return file;
  }
  void Put(const std::string& key) {
    TempFile file = Holding(key);
    const auto placed = PlaceFile(file, bucket_, key);
    ASSERT_TRUE(placed) << placed.error().message << placed.error().log;
  }
  std::string Get(const std::string& key) {
    const auto fd = OpenPlaced(bucket_, key, O_RDONLY);
    if (!fd) return std::string(CodeNameOf(fd.error().code));
    std::string bytes(2048, 0);
    bytes.resize(static_cast<size_t>(::read(fd->fd.get(), bytes.data(), bytes.size())));
    return bytes;
  }
  ListPage List(const ListQuery& query) {
    KeyWalk walk(bucket_, cache_);
    auto page = ListKeys(walk, query, [&](KeyWalk& at, ListedKey& listed) {
      const auto fd = at.Open(O_RDONLY);
      struct stat info{};
      if (!fd || ::fstat(fd->get(), &info) != 0) return false;
      listed.size = info.st_size;
      return true;
    });
    EXPECT_TRUE(page);
    return page ? *page : ListPage();
  }
  // All pages of `size` together.
  std::pair<std::vector<std::string>, std::vector<std::string>> ListAll(ListQuery query, int size) {
    std::vector<std::string> keys, prefixes;
    query.most = size;
    while (true) {
      const ListPage page = List(query);
      for (const ListedKey& listed : page.keys) keys.push_back(listed.key);
      prefixes.insert(prefixes.end(), page.prefixes.begin(), page.prefixes.end());
      EXPECT_LE(page.keys.size() + page.prefixes.size(), static_cast<size_t>(size));
      if (!page.truncated) return {keys, prefixes};
      query.after = page.last;
    }
  }

  int files_ = 0;
  os::TempDir dir_;
  Folder bucket_, tmp_;
  EntryCache cache_;
};

TEST_F(ListingTest, AwkwardKeysAreStoredReadAndListedInByteOrder) {
  std::set<std::string> keys;
  for (const std::string& key : AwkwardKeys()) {
    Put(key);
    keys.insert(key);
  }
  for (const std::string& key : keys) EXPECT_EQ(Get(key), key);
  const std::vector<std::string> wanted(keys.begin(), keys.end());
  for (const int size : {1, 2, 7, 1000}) EXPECT_EQ(ListAll({}, size).first, wanted) << size;
}

TEST_F(ListingTest, AnyOrderOfWritesAndRemovalsYieldsTheSameKeys) {
  std::vector<std::string> keys = AwkwardKeys();
  for (int round = 0; round < 2; ++round) {
    std::ranges::rotate(keys, keys.begin() + 17);
    for (const std::string& key : keys) Put(key);
    std::set<std::string> left(keys.begin(), keys.end());
    for (size_t i = 0; i < keys.size(); i += 2) {
      EXPECT_TRUE(RemoveFile(bucket_, keys[i]));
      left.erase(keys[i]);
      EXPECT_EQ(Get(keys[i]), "NoSuchKey");
    }
    EXPECT_EQ(ListAll({}, 1000).first, std::vector<std::string>(left.begin(), left.end()));
    for (const std::string& key : left) EXPECT_EQ(Get(key), key);
  }
  for (const std::string& key : keys) EXPECT_TRUE(RemoveFile(bucket_, key));
  EXPECT_THAT(FolderEntries::Read(bucket_)->size(), 0u) << "folders are left";
}

TEST_F(ListingTest, PrefixesAndDelimitersGroupKeys) {
  for (const char* key : {"a", "a-b", "a.b", "a/b", "a/c/d", "a/c/e", "b/c/d", "c"}) Put(key);
  const ListPage top = List({.delimiter = "/"});
  EXPECT_THAT(ListAll({.delimiter = "/"}, 1000).first, ElementsAre("a", "a-b", "a.b", "c"));
  EXPECT_THAT(top.prefixes, ElementsAre("a/", "b/"));
  EXPECT_THAT(List({.prefix = "a/", .delimiter = "/"}).prefixes, ElementsAre("a/c/"));
  EXPECT_THAT(List({.prefix = "a/c", .delimiter = "/"}).prefixes, ElementsAre("a/c/"));
  EXPECT_THAT(List({.delimiter = "c"}).prefixes, ElementsAre("a/c", "b/c", "c"));
  EXPECT_THAT(List({.delimiter = "/c/"}).prefixes, ElementsAre("a/c/", "b/c/"));
  EXPECT_THAT(List({.prefix = "zzz"}).keys, IsEmpty());
  EXPECT_THAT(ListAll({.prefix = "a/c/"}, 1).first, ElementsAre("a/c/d", "a/c/e"));
}

TEST_F(ListingTest, PagesContinueBehindAGroup) {
  std::vector<std::string> folders;
  for (int i = 10; i < 40; ++i) {
    folders.push_back("d" + std::to_string(i) + "/");
    for (const char* name : {"x", "y/z", "y0"}) Put(folders.back() + name);
  }
  for (const int size : {1, 2, 7, 29, 30, 31}) {
    const auto [keys, prefixes] = ListAll({.delimiter = "/"}, size);
    EXPECT_THAT(keys, IsEmpty());
    EXPECT_EQ(prefixes, folders) << size;
  }
  const ListPage page = List({.delimiter = "/", .after = "d20/x", .most = 1});
  EXPECT_THAT(page.prefixes, ElementsAre("d21/"));
}

TEST_F(ListingTest, PageSizeZeroReturnsNothing) {
  Put("a");
  const ListPage page = List({.most = 0});
  EXPECT_THAT(page.keys, IsEmpty());
  EXPECT_FALSE(page.truncated);
}

TEST_F(ListingTest, CopiedFilesAreKeysAndLinksAreNot) {
  ASSERT_TRUE(os::MakeDirs(dir_ / "bucket/in/empty"));
  ASSERT_TRUE(os::WriteFileAtomic(dir_ / "bucket/in/file.txt", "copied", 0644, false));
  ASSERT_TRUE(os::WriteFileAtomic(dir_ / "secret", "outside", 0644, false));
  ASSERT_EQ(::symlink("../../secret", (dir_ / "bucket/in/link").c_str()), 0);
  ASSERT_EQ(::symlink("/", (dir_ / "bucket/root").c_str()), 0);
  ASSERT_EQ(::mkfifo((dir_ / "bucket/pipe").c_str(), 0644), 0);
  EXPECT_THAT(ListAll({}, 10).first, ElementsAre("in/file.txt"));
  EXPECT_THAT(List({.delimiter = "/"}).prefixes, ElementsAre("in/"));
  EXPECT_EQ(Get("in/file.txt"), "copied");
  for (const char* key : {"in/link", "root/etc/passwd", "pipe", "in", "in/empty"}) {
    EXPECT_EQ(Get(key), "NoSuchKey") << key;
  }
}

TEST_F(ListingTest, LinksAreNotFollowedByWrites) {
  ASSERT_TRUE(os::MakeDirs(dir_ / "outside"));
  ASSERT_EQ(::symlink("../outside", (dir_ / "bucket/link").c_str()), 0);
  for (int i = 0; i < 2; ++i) {
    TempFile file = Holding("hostile");
    EXPECT_FALSE(PlaceFile(file, bucket_, "link/file"));
    EXPECT_FALSE(std::filesystem::exists(dir_ / "outside/file"));
    EXPECT_TRUE(PlaceFile(file, bucket_, "link")) << "the link itself is replaced";
    EXPECT_EQ(Get("link"), "hostile");
    ASSERT_TRUE(std::filesystem::remove(dir_ / "bucket/link"));
    ASSERT_EQ(::symlink("../outside", (dir_ / "bucket/link").c_str()), 0);
  }
}

TEST_F(ListingTest, ChangedFolderIsReadAgain) {
  for (int i = 0; i < 300; ++i) Put("k" + std::to_string(i));
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(List({}).keys.size(), static_cast<size_t>(300 + i));
    Put("new" + std::to_string(i));
  }
  EXPECT_TRUE(RemoveFile(bucket_, "k7"));
  EXPECT_EQ(List({}).keys.size(), 349u);
}

}  // namespace
}  // namespace muster::objects
