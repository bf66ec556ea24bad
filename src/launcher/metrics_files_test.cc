#include "launcher/metrics_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "launcher/series.h"
#include "os/temp_dir.h"

namespace muster::launcher {
namespace {

using testing::Contains;
using testing::Pair;

class MetricsFileTest : public testing::Test {
 protected:
  // The values after the file has this text.
  std::string Values() {
    const MetricsFile::State state = file_.Look();
    if (state.replaced) series_.ReportsReplaced();
    if (state.file >= 0) series_.LookAtReports(state.file, state.size);
    return series_.TakeLine(0).value_or("");
  }
  void Append(std::string_view text) {
    auto file = os::Open(path_, O_WRONLY | O_CREAT | O_APPEND);
    ASSERT_TRUE(file);
    ASSERT_TRUE(os::WriteAll(file->get(), text));
  }

  os::TempDir dir_;
  os::Path path_ = dir_ / "rank0.jsonl";
  MetricsFile file_{path_};
  SeriesReader series_{0};
};

std::string Line(const std::string& values, const std::string& names) {
  return "{\"values\":{" + values + "},\"reported\":[" + names + "],\"wall_ms\":0,\"rank\":0}\n";
}

TEST(PrepareMetrics, MakesAFileForEveryRankAndKeepsItInTheView) {
  const os::TempDir dir;
  NodeOrder order;
  order.dir = dir.path();
  order.view.emplace();
  for (const int rank : {4, 5}) order.ranks.push_back({.rank = rank});
  ASSERT_TRUE(PrepareMetrics(order));
  const std::string folder = order.dir + "/metrics";
  EXPECT_THAT(order.env, Contains(Pair("MUSTER_METRICS", folder + "/node.jsonl")));
  EXPECT_THAT(order.ranks[1].env, Contains(Pair("MUSTER_METRICS", folder + "/rank5.jsonl")));
  EXPECT_EQ(os::FileSize(folder + "/rank5.jsonl").value(), 0);
  EXPECT_THAT(order.view->keep, Contains(folder));
}

TEST_F(MetricsFileTest, PartialLastLineIsReadWhenItIsComplete) {
  Append("{\"loss\": 0.5}\n{\"loss\": 0.");
  EXPECT_EQ(Values(), Line("\"loss\":0.5", "\"loss\""));
  Append("25}\n");
  EXPECT_EQ(Values(), Line("\"loss\":0.25", "\"loss\""));
}

TEST_F(MetricsFileTest, EmptiedAndReplacedFilesAreReadFromTheirBeginning) {
  Append("{\"loss\": 0.5, \"long\": 1}\n");
  Values();
  ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
  Append("{\"loss\": 0.25}\n");
  EXPECT_EQ(Values(), Line("\"long\":1.0,\"loss\":0.25", "\"long\",\"loss\""));
  ASSERT_TRUE(os::WriteFileAtomic(path_, "{\"loss\": 0.125}\n{\"loss\": 0.0625, \"long\": 2}\n"));
  EXPECT_EQ(Values(), Line("\"long\":2.0,\"loss\":0.0625", "\"long\",\"loss\""));
}

TEST_F(MetricsFileTest, LinksPipesAndFoldersAreNotRead) {
  const os::Path secret = dir_ / "secret";
  ASSERT_TRUE(os::WriteFileAtomic(secret, "{\"loss\": 0.5}\n"));
  ASSERT_EQ(::symlink(secret.c_str(), path_.c_str()), 0);
  EXPECT_EQ(Values(), "");
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(Values(), "");
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  ASSERT_EQ(::mkdir(path_.c_str(), 0700), 0);
  EXPECT_EQ(Values(), "");
}

TEST_F(MetricsFileTest, OnlyTheNewestPartOfAHugeFileIsRead) {
  ASSERT_TRUE(os::WriteFileAtomic(path_, ""));
  ASSERT_EQ(::truncate(path_.c_str(), int64_t(8) << 30), 0);
  Append("\n{\"loss\": 0.5}\n");
  EXPECT_EQ(Values(), Line("\"loss\":0.5", "\"loss\""));
}

}  // namespace
}  // namespace muster::launcher
