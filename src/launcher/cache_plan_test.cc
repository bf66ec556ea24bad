#include "launcher/cache_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::launcher {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EntrySizeTest, IsReadBackAlsoFromOlderEntries) {
  const EntrySize size{12, 3};
  EXPECT_EQ(ReadEntrySize(WriteEntrySize(size)), size);
  EXPECT_EQ(ReadEntrySize("12"), (EntrySize{12, -1}));
  EXPECT_EQ(ReadEntrySize(""), (EntrySize{0, -1}));
  EXPECT_EQ(ReadEntrySize("x y z"), (EntrySize{0, -1}));
  EXPECT_EQ(ReadEntrySize("-5 3"), (EntrySize{0, 3}));
}

TEST(CacheKeyTest, DoesNotDependOnTheOrderOfFiles) {
  const SourceFile a{"a", 1, "etag-a"}, b{"b/c", 2, "etag-b"};
  EXPECT_EQ(CacheKey({a, b}), CacheKey({b, a}));
  EXPECT_TRUE(IsCacheKey(CacheKey({})));
}

TEST(CacheKeyTest, ChangesWithEveryNameSizeAndIdentity) {
  const std::string key = CacheKey({{"a", 1, "x"}});
  EXPECT_NE(key, CacheKey({{"b", 1, "x"}}));
  EXPECT_NE(key, CacheKey({{"a", 2, "x"}}));
  EXPECT_NE(key, CacheKey({{"a", 1, "y"}}));
  EXPECT_NE(key, CacheKey({{"a", 1, "x"}, {"b", 1, "x"}}));
  // Bytes that move from one field to the next yield another text.
  EXPECT_NE(CacheKey({{"a\nx", 1, "y"}}), CacheKey({{"a", 1, "x\ny"}}));
}

TEST(CacheKeyTest, OtherTextsAreNotKeys) {
  EXPECT_FALSE(IsCacheKey("records"));
  EXPECT_FALSE(IsCacheKey(std::string(63, 'a')));
  EXPECT_FALSE(IsCacheKey(std::string(63, 'a') + "/"));
  EXPECT_FALSE(IsCacheKey(std::string(64, 'A')));
}

TEST(FileListTest, IsReadBackUnchanged) {
  const std::vector<CachedFile> files{
      {"a b\nc", 5, 1'700'000'000'000'000'001}, {"d/", 0, 0}, {"end", 0, -1}};
  EXPECT_EQ(ReadFileList(WriteFileList(files)), files);
  EXPECT_EQ(ReadFileList(WriteFileList({})), std::vector<CachedFile>());
}

TEST(FileListTest, TruncatedListIsCorrupt) {
  const std::string text = WriteFileList(std::vector<CachedFile>{{"a", 5, 1}, {"b", 6, 2}});
  for (size_t cut = 0; cut < text.size(); ++cut)
    EXPECT_FALSE(ReadFileList(text.substr(0, cut))) << cut;
  for (const char* bad : {"x y z", "1 2", "1 2 ", "-1 2 a", "1  a", ""})
    EXPECT_FALSE(ReadFileList(std::string(bad) + '\0' + "end" + '\0')) << bad;
}

TEST(KnownSourceTest, IsReadBackUnlessTruncated) {
  const KnownSource known{"stamp", std::string(64, 'a'), 123, true};
  const std::string text = WriteKnownSource(known);
  EXPECT_EQ(ReadKnownSource(text), known);
  for (size_t length = 0; length + 1 < text.size(); ++length)
    EXPECT_EQ(ReadKnownSource(text.substr(0, length)), std::nullopt) << length;
  EXPECT_EQ(ReadKnownSource("stamp ../../x 1 tree end"), std::nullopt);
}

TEST(EvictionTest, LeastRecentlyUsedEntriesAreEvictedUntilTheRestFits) {
  const std::vector<CacheEntry> entries{
      {"new", 40, 300, false}, {"old", 40, 100, false}, {"mid", 40, 200, false}};
  EXPECT_THAT(ChooseEvictions(entries, 120), IsEmpty());
  EXPECT_THAT(ChooseEvictions(entries, 119), ElementsAre("old"));
  EXPECT_THAT(ChooseEvictions(entries, 40), ElementsAre("old", "mid"));
  EXPECT_THAT(ChooseEvictions(entries, 0), ElementsAre("old", "mid", "new"));
}

TEST(EvictionTest, EntriesInUseAreKept) {
  const std::vector<CacheEntry> entries{
      {"old", 40, 100, true}, {"mid", 40, 200, false}, {"new", 40, 300, true}};
  EXPECT_THAT(ChooseEvictions(entries, 100), ElementsAre("mid"));
  EXPECT_THAT(ChooseEvictions(entries, 0), ElementsAre("mid"));
}

}  // namespace
}  // namespace muster::launcher
