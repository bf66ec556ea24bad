#include "lifecycle/last_words.h"

#include <sys/stat.h>

#include <gmock/gmock.h>

#include "os/temp_dir.h"

namespace muster::lifecycle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class LastWords : public testing::Test {
 protected:
  // Ranks 0 to 2 on separate nodes; the last one ended first.
  Attempt Ended() {
    Attempt attempt;
    for (int rank = 0; rank < 3; ++rank) {
      RankInfo info;
      info.rank = info.node = rank;
      info.started_ms = 1;
      info.ended_ms = 100 - rank;
      attempt.ranks.push_back(info);
    }
    attempt.cause = Cause{.rank = 2, .node = 2};
    return attempt;
  }

  os::TempDir dir_;
};

TEST_F(LastWords, LinesArePrintable) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "line " + std::to_string(i) + "\n";
  dir_.Write("a.log", text + "\x1b[31mred\nno end");
  const auto lines = LastLines(dir_.path() / "a.log");
  ASSERT_THAT(lines, SizeIs(64));
  EXPECT_EQ(lines[61], "line 99999");
  EXPECT_EQ(lines[62].find('\x1b'), std::string::npos);
  EXPECT_EQ(lines[63], "no end");
  EXPECT_THAT(LastLines(dir_.path() / "missing"), IsEmpty());
}

TEST_F(LastWords, OtherRanksAreInTheOrderOfTheirEnds) {
  dir_.Write("node0/rank0.log", "zero\n");
  dir_.Write("node1/rank1.log", "one\n");
  dir_.Write("node2/rank2.log", "first\n");
  const auto others = LinesOfOthers(dir_.path(), Ended());
  ASSERT_THAT(others, SizeIs(3));
  EXPECT_EQ(others[0].rank, 2);
  EXPECT_EQ(others[1].rank, 1);
  EXPECT_THAT(others[1].lines, ElementsAre("one"));
  EXPECT_EQ(others[2].rank, 0);
}

TEST_F(LastWords, FirstRankHasMoreLines) {
  std::string text = "Traceback\n";
  for (int i = 0; i < 1'000; ++i) text += "lament\n";
  dir_.Write("node2/rank2.log", text);
  EXPECT_EQ(LinesOfOthers(dir_.path(), Ended())[0].lines.front(), "Traceback");
}

TEST_F(LastWords, FilesOfPaddlesLauncherAreIncluded) {
  dir_.Write("node2/paddle/workerlog.1", "kept\n");
  ASSERT_EQ(::mkfifo((dir_.path() / "node2/paddle/pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("/etc/passwd", dir_.path() / "node2/paddle/link");
  const auto others = LinesOfOthers(dir_.path(), Ended());
  ASSERT_THAT(others, SizeIs(4));
  EXPECT_EQ(others[1].rank, 2);
  EXPECT_THAT(others[1].lines, ElementsAre("kept"));
}

}  // namespace
}  // namespace muster::lifecycle
