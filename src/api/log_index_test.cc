#include "api/log_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "os/temp_dir.h"

namespace muster::api {
namespace {

class LogIndexTest : public testing::Test {
 protected:
  // Looks every 200 ms from 1000 on; each saw ten more bytes.
  void WriteLooks(int count) {
    std::string text;
    for (int i = 1; i <= count; ++i) text += fmt::format("{} {}\n", 1000 + 200 * i, 10 * i);
    ASSERT_TRUE(os::WriteFileAtomic(path_, text));
  }
  int64_t TimeOf(int64_t offset) {
    const auto entry = index_.At(offset).value();
    return entry ? entry->wall_ms : -1;
  }
  int64_t Since(int64_t wall_ms) { return index_.OffsetSince(wall_ms).value(); }

  os::TempDir dir_;
  os::Path path_ = dir_ / "rank0.idx";
  LogIndex index_{path_};
};

TEST_F(LogIndexTest, FindsTheLookThatSawAByte) {
  for (const int count : {1, 2, 30, 5000}) {
    WriteLooks(count);
    index_.Close();
    for (const int i : {1, 2, count / 2 + 1, count}) {
      if (i > count) continue;
      EXPECT_EQ(TimeOf(10 * i - 1), 1000 + 200 * i) << i << " of " << count;
      EXPECT_EQ(TimeOf(10 * i - 10), 1000 + 200 * i) << i << " of " << count;
    }
    EXPECT_EQ(TimeOf(10 * count), -1) << "not seen yet";
  }
}

TEST_F(LogIndexTest, FindsWhereTheBytesSinceATimeBegin) {
  for (const int count : {1, 2, 30, 5000}) {
    WriteLooks(count);
    index_.Close();
    EXPECT_EQ(Since(0), 0);
    EXPECT_EQ(Since(1200), 0) << "the look at 1200 is not before 1200";
    for (const int i : {1, count / 2 + 1, count})
      if (i <= count) EXPECT_EQ(Since(1000 + 200 * i + 1), 10 * i) << i << " of " << count;
    EXPECT_EQ(Since(INT64_MAX), 10 * count);
  }
}

TEST_F(LogIndexTest, MissingEmptyAndDamagedFilesHaveNoTimes) {
  EXPECT_EQ(TimeOf(0), -1);
  EXPECT_EQ(Since(5), 0);
  for (const char* text : {"", "x\n", "1 2", "1200 a\n", "\n\n"}) {
    ASSERT_TRUE(os::WriteFileAtomic(path_, text));
    index_.Close();
    EXPECT_EQ(TimeOf(0), -1) << text;
    EXPECT_EQ(Since(5), 0) << text;
  }
}

}  // namespace
}  // namespace muster::api
