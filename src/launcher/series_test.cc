#include "launcher/series.h"

#include <fcntl.h>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launcher/follow.h"
#include "os/fake_loop.h"
#include "os/file.h"
#include "os/temp_dir.h"

namespace muster::launcher {
namespace {

using testing::HasSubstr;

class SeriesTest : public testing::Test {
 protected:
  void Write(const std::string& bytes) { ASSERT_TRUE(os::WriteAll(log_.get(), bytes)); }
  std::string Look() {
    series_.Look(log_.get(), os::FileSize(path_).value());
    return series_.TakeLine(1000).value_or("");
  }

  os::TempDir dir_;
  os::Path path_ = dir_ / "rank3.log";
  os::Fd log_ = std::move(os::Open(path_, O_RDWR | O_CREAT | O_APPEND)).value();
  SeriesReader series_{3};
};

TEST_F(SeriesTest, NumbersOfWholeLinesAreTakenOnce) {
  Write("loss: 0.5\nloss: 0.");
  EXPECT_EQ(Look(), "{\"values\":{\"loss\":0.5},\"wall_ms\":1000,\"rank\":3}\n");
  EXPECT_EQ(Look(), "");
  Write("25\n");
  EXPECT_THAT(Look(), HasSubstr("\"loss\":0.25"));
}

TEST_F(SeriesTest, RedrawnLinesAreReadOneByOne) {
  Write("loss: 0.5\rloss: 0.25\r");
  EXPECT_THAT(Look(), HasSubstr("\"loss\":0.5")) << "a bar may cut off the last one";
  series_.Close();
  EXPECT_THAT(Look(), HasSubstr("\"loss\":0.25"));
}

TEST_F(SeriesTest, NumberAtTheEndOfAnUnfinishedLastLineIsIgnored) {
  Write("loss: 0.125 accuracy: 0.9");
  EXPECT_EQ(Look(), "");
  series_.Close();
  EXPECT_EQ(Look(), "{\"values\":{\"loss\":0.125},\"wall_ms\":1000,\"rank\":3}\n");
}

TEST_F(SeriesTest, OnlyTheNewestIsReadWhenTooMuchCame) {
  Write("loss: 0.5\n" + std::string(300 << 10, 'x') + "\nloss: 0.25\n");
  EXPECT_THAT(Look(), HasSubstr("\"loss\":0.25"));
}

TEST_F(SeriesTest, LineWithoutEndIsNotCollected) {
  for (int i = 0; i < 20; ++i) {
    Write(std::string(60 << 10, 'x'));
    EXPECT_EQ(Look(), "");
  }
  Write(" loss: 0.5\nloss: 0.25\n");
  EXPECT_THAT(Look(), HasSubstr("\"loss\":0.25"));
}

TEST_F(SeriesTest, LogThatTheRankEmptiedIsReadFromItsNewBeginning) {
  Write("loss: 0.5\nand more\n");
  Look();
  ASSERT_EQ(ftruncate(log_.get(), 0), 0);
  Write("loss: 0.25\n");
  EXPECT_THAT(Look(), HasSubstr("\"loss\":0.25"));
}

TEST(FollowerTest, IndexGrowsWithTheLogAndSeriesOnceASecond) {
  const os::TempDir dir;
  os::FakeLoop loop;
  NodeOrder order;
  order.dir = dir.path();
  for (const int rank : {4, 5}) order.ranks.push_back({.rank = rank, .role = "worker"});
  const auto log = os::Open(order.LogPath(4), O_WRONLY | O_CREAT | O_APPEND);
  ASSERT_TRUE(log);
  ASSERT_TRUE(os::WriteFileAtomic(order.LogPath(5), "loss: 9\n"));
  std::vector<std::string> notes;
  Follower follower(loop, order, [&](std::string note) { notes.push_back(std::move(note)); });
  follower.Start();
  const int64_t wall = loop.clock().WallMs();
  ASSERT_TRUE(os::WriteAll(log->get(), "loss: 0.5\n"));
  loop.Advance(400);
  EXPECT_EQ(os::ReadFile(dir / "rank4.idx").value(), fmt::format("{} 10\n", wall + 200));
  EXPECT_FALSE(os::ReadFile(dir / "series"));
  loop.Advance(600);
  EXPECT_THAT(os::ReadFile(dir / "series").value(), HasSubstr("\"rank\":4"));
  ASSERT_TRUE(os::WriteAll(log->get(), "loss: 0.25\n"));
  follower.Finish();
  EXPECT_EQ(os::ReadFile(dir / "rank4.idx").value(),
            fmt::format("{} 10\n{} 21\n", wall + 200, wall + 1000));
  const auto series = os::ReadFile(dir / "series").value();
  EXPECT_THAT(series, HasSubstr("0.25"));
  EXPECT_THAT(series, testing::Not(HasSubstr("\"rank\":5"))) << "one rank of a role is enough";
  EXPECT_EQ(loop.timer_count(), 0u);
  EXPECT_THAT(notes, testing::IsEmpty());
}

TEST(FollowerTest, EveryRankReportsByItsMetricsFileAndFaultsAreNotedOnce) {
  const os::TempDir dir;
  os::FakeLoop loop;
  NodeOrder order;
  order.dir = dir.path();
  for (const int rank : {4, 5}) order.ranks.push_back({.rank = rank, .role = "worker"});
  ASSERT_TRUE(PrepareMetrics(order));
  for (const int rank : {4, 5}) ASSERT_TRUE(os::WriteFileAtomic(order.LogPath(rank), "loss: 9\n"));
  std::vector<std::string> notes;
  Follower follower(loop, order, [&](std::string note) { notes.push_back(std::move(note)); });
  follower.Start();
  ASSERT_TRUE(os::WriteFileAtomic(MetricsPath(order, 5), "{\"loss\": 0.5}\n"));
  ASSERT_TRUE(os::WriteFileAtomic(MetricsPath(order, 4), "nonsense\nmore\n{\"reward\": 12}\n"));
  loop.Advance(1000);
  ASSERT_TRUE(os::WriteFileAtomic(MetricsPath(order, 4), "nonsense\n{\"reward\": 13}\n"));
  follower.Finish();
  const auto series = os::ReadFile(dir / "series").value();
  EXPECT_THAT(series, HasSubstr("{\"values\":{\"loss\":0.5},\"reported\":[\"loss\"],"));
  EXPECT_THAT(series, HasSubstr("{\"loss\":9.0,\"reward\":13.0},\"reported\":[\"reward\"],"));
  EXPECT_THAT(notes, testing::ElementsAre(
                         "rank 4: $MUSTER_METRICS has a line that is not read: it is not a "
                         "JSON object such as {\"step\": 10, \"loss\": 0.4}: nonsense"));
}

}  // namespace
}  // namespace muster::launcher
