#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "os/file.h"

namespace muster::api {

// The numbers that launchers read from the logs of an attempt, as curves: one for each rank and
// name.
class SeriesTable {
 public:
  struct Point {
    int64_t wall_ms = 0;
    std::optional<double> step;
    double value = 0;
  };

  // Adds one node's `series` file: a JSON object per line. Other lines are ignored, and so is a
  // file that is not there.
  void AddFile(const os::Path& file);
  void AddLine(std::string_view line);
  // Thins each curve to about `most` points.
  json::array ToJson(size_t most) const;

 private:
  std::map<std::pair<int, std::string>, std::vector<Point>> curves_;
};

// Of each run of neighbours the points with the smallest and the largest value, and the first and
// the last point of all.
std::vector<SeriesTable::Point> Thin(const std::vector<SeriesTable::Point>& points, size_t most);

}  // namespace muster::api
