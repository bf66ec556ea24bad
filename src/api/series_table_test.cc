#include "api/series_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace muster::api {
namespace {

TEST(SeriesTableTest, LinesBecomeCurvesOfRanksAndNames) {
  SeriesTable table;
  table.AddLine(R"({"wall_ms": 5, "rank": 0, "values": {"loss": 2.5, "step": 1}})");
  table.AddLine(R"({"wall_ms": 6, "rank": 0, "values": {"loss": 2.5, "step": 1}})");
  table.AddLine("nonsense");
  table.AddLine(R"({"wall_ms": 7, "rank": 0, "values": {"loss": 2.25, "step": 2}})");
  table.AddLine(R"({"wall_ms": 8, "rank": 1, "values": {"loss": 3.5}})");
  EXPECT_EQ(ToJson(table.ToJson(100)),
            R"([{"rank":0,"name":"loss","points":[[5,1.0,2.5],[7,2.0,2.25]]},)"
            R"({"rank":0,"name":"step","points":[[5,1.0,1.0],[7,2.0,2.0]]},)"
            R"({"rank":1,"name":"loss","points":[[8,null,3.5]]}])");
}

TEST(SeriesTableTest, ValuesHaveTheStepAtWhichTheyWereMeasured) {
  SeriesTable table;
  table.AddLine(
      R"({"wall_ms": 5, "rank": 0, "values": {"acc": 0.5, "step": 9}, "at": {"acc": {"step": 4}}})");
  table.AddLine(R"({"wall_ms": 6, "rank": 0, "values": {"acc": "nan", "step": 10}})");
  EXPECT_EQ(ToJson(table.ToJson(100)[0]),
            R"({"rank":0,"name":"acc","points":[[5,4.0,0.5],[6,10.0,null]]})");
}

TEST(SeriesTableTest, ThinnedCurvesKeepSpikesAndEnds) {
  std::vector<SeriesTable::Point> points;
  for (int i = 0; i < 100'000; ++i) points.push_back({i, double(i), i == 77'777 ? 50.0 : 1.0});
  const auto thinned = Thin(points, 1000);
  EXPECT_LE(thinned.size(), 1002u);
  EXPECT_EQ(thinned.front().wall_ms, 0);
  EXPECT_EQ(thinned.back().wall_ms, 99'999);
  const auto spike = std::ranges::max_element(thinned, {}, &SeriesTable::Point::value);
  EXPECT_EQ(spike->wall_ms, 77'777);
  EXPECT_TRUE(std::ranges::is_sorted(thinned, {}, &SeriesTable::Point::wall_ms));
  EXPECT_EQ(Thin(points, 200'000).size(), points.size());
}

}  // namespace
}  // namespace muster::api
