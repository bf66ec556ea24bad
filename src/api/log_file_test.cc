#include "api/log_file.h"

#include <fcntl.h>

#include <gmock/gmock.h>

#include "os/temp_dir.h"

namespace muster::api {
namespace {

class LogFileTest : public testing::Test {
 protected:
  LogFile With(std::string_view content) {
    EXPECT_TRUE(os::WriteFileAtomic(dir_ / "log", content, 0644, false));
    return LogFile(dir_ / "log");
  }
  int64_t Tail(std::string_view content, int64_t lines, int64_t look_back = 1 << 20) {
    return *With(content).TailStart(lines, look_back);
  }
  os::TempDir dir_;
};

TEST_F(LogFileTest, ReadsAtAnyOffset) {
  LogFile file = With("0123456789");
  std::string out = "old";
  ASSERT_TRUE(file.Read(3, 4, out));
  EXPECT_EQ(out, "3456");
  ASSERT_TRUE(file.Read(8, 100, out));
  EXPECT_EQ(out, "89");
  ASSERT_TRUE(file.Read(10, 100, out));
  EXPECT_EQ(out, "");
  ASSERT_TRUE(file.Read(std::numeric_limits<int64_t>::max(), 100, out));
  EXPECT_EQ(out, "");
}

TEST_F(LogFileTest, MissingFileIsEmptyUntilItExists) {
  LogFile file(dir_ / "log");
  std::string out;
  ASSERT_TRUE(file.Read(0, 10, out));
  EXPECT_EQ(out, "");
  EXPECT_EQ(*file.Size(), 0);
  EXPECT_EQ(*file.TailStart(3, 100), 0);
  ASSERT_TRUE(os::WriteFileAtomic(dir_ / "log", "now", 0644, false));
  ASSERT_TRUE(file.Read(0, 10, out));
  EXPECT_EQ(out, "now");
}

TEST_F(LogFileTest, TailCountsLinesFromTheEnd) {
  EXPECT_EQ(Tail("a\nb\nc\n", 0), 6);
  EXPECT_EQ(Tail("a\nb\nc\n", 1), 4);
  EXPECT_EQ(Tail("a\nb\nc\n", 2), 2);
  EXPECT_EQ(Tail("a\nb\nc\n", 3), 0);
  EXPECT_EQ(Tail("a\nb\nc\n", 99), 0);
  EXPECT_EQ(Tail("a\nb\nc", 1), 4);  // an unfinished last line counts
  EXPECT_EQ(Tail("\n\n\n", 2), 1);
  EXPECT_EQ(Tail("", 2), 0);
}

TEST_F(LogFileTest, TailFindsLinesOverManyBlocks) {
  std::string content;
  for (int i = 0; i < 50'000; ++i) content += "a line of text\n";
  EXPECT_EQ(Tail(content, 20'000), int64_t(content.size()) - 20'000 * 15);
}

TEST_F(LogFileTest, TailLooksBackAtMostTheLimit) {
  EXPECT_EQ(Tail(std::string(100'000, 'x'), 5, 1000), 99'000);
  // Not inside a character.
  EXPECT_EQ(Tail("\xe4\xb8\xad\xe4\xb8\xad", 5, 4), 3);
}

TEST(CutTextTest, CutsAtTheLastLineEndElseAtWholeCharacters) {
  EXPECT_EQ(CutText("a\nb\nc"), 4u);
  EXPECT_EQ(CutText("50%\r60%"), 4u);
  EXPECT_EQ(CutText("abc"), 3u);
  EXPECT_EQ(CutText("caf\xc3"), 3u);
  EXPECT_EQ(CutText("\xf0\x9f\x98"), 0u);
  EXPECT_EQ(CutText("\xf0\x9f\x98\x80"), 4u);
  EXPECT_EQ(CutText("a\xff"), 2u);             // not the start of a character
  EXPECT_EQ(CutText("\x80\x80\x80\x80"), 4u);  // continuation bytes without a start
  EXPECT_EQ(CutText(""), 0u);
}

}  // namespace
}  // namespace muster::api
