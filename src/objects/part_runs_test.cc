#include "objects/part_runs.h"

#include <gtest/gtest.h>

#include "objects/object_meta.h"

namespace muster::objects {
namespace {

PartRuns Runs(std::initializer_list<int64_t> sizes) {
  PartRuns runs;
  for (const int64_t size : sizes) AddPart(runs, size);
  return runs;
}

TEST(PartRunsTest, PlaceOfEveryPartIsFound) {
  const PartRuns runs = Runs({8, 8, 8, 5, 9, 9, 1});
  EXPECT_EQ(CountParts(runs), 7);
  EXPECT_EQ(TotalSize(runs), 48);
  const int64_t offsets[] = {0, 8, 16, 24, 29, 38, 47}, sizes[] = {8, 8, 8, 5, 9, 9, 1};
  for (int i = 0; i < 7; ++i) {
    const auto place = PlaceOfPart(runs, i + 1);
    ASSERT_TRUE(place) << i;
    EXPECT_EQ(place->offset, offsets[i]);
    EXPECT_EQ(place->size, sizes[i]);
  }
  EXPECT_FALSE(PlaceOfPart(runs, 0));
  EXPECT_FALSE(PlaceOfPart(runs, -1));
  EXPECT_FALSE(PlaceOfPart(runs, 8));
  EXPECT_FALSE(PlaceOfPart({}, 1));
}

TEST(PartRunsTest, RoundTrip) {
  const PartRuns runs = Runs({8 << 20, 8 << 20, 1234, 0});
  EXPECT_EQ(WritePartRuns(runs), "2:800000 1:4d2 1:0");
  EXPECT_EQ(ReadPartRuns(WritePartRuns(runs)), runs);
  ObjectMeta meta;
  meta.parts = runs;
  EXPECT_EQ(ReadMeta(WriteMeta(meta))->parts, runs);
}

TEST(PartRunsTest, InvalidTextIsEmpty) {
  for (const char* text : {"", "x", "1", "1:", ":1", "0:1", "-1:5", "1:-5", "2711:1", "2710:1 1:1",
                           "1:7fffffffffffffff", "1:1  1:1", "1:1:1"}) {
    EXPECT_TRUE(ReadPartRuns(text).empty()) << text;
  }
  PartRuns varied;
  for (int64_t size = 0; size < 100; ++size) AddPart(varied, size);
  EXPECT_EQ(WritePartRuns(varied), "");
}

}  // namespace
}  // namespace muster::objects
