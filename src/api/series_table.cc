#include "api/series_table.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "metrics/measured.h"

namespace muster::api {
namespace {

constexpr int64_t kLargestFile = 256 << 20;

// The step at which a value was measured; nothing where it is not known.
std::optional<double> StepOf(const metrics::Measured& measured, const std::string& name) {
  if (const auto at = measured.at.find(name); at != measured.at.end()) return at->second.step;
  const auto step = measured.values.find("step");
  return step == measured.values.end() ? std::nullopt : std::optional(step->second);
}

}  // namespace

void SeriesTable::AddFile(const os::Path& file) {
  const Result<std::string> text = os::ReadFile(file, kLargestFile);
  if (!text) return;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    AddLine(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void SeriesTable::AddLine(std::string_view line) {
  const Result<json::value> parsed = ParseJson(line);
  if (!parsed || !parsed->is_object()) return;
  const json::object& object = parsed->get_object();
  if (GetObject(object, "values") == nullptr) return;
  const int rank = int(GetInt(object, "rank", 0));
  const metrics::Measured measured = metrics::MeasuredFromJson(object);
  for (const auto& [name, value] : measured.values) {
    Point point{GetInt(object, "wall_ms", 0), StepOf(measured, name), value};
    std::vector<Point>& curve = curves_[{rank, name}];
    // A line repeats values that were not measured again.
    const bool repeated = !curve.empty() && point.step && curve.back().step == point.step &&
                          curve.back().value == point.value;
    if (!repeated) curve.push_back(point);
  }
}

json::array SeriesTable::ToJson(size_t most) const {
  json::array series;
  for (const auto& [key, curve] : curves_) {
    json::array points;
    for (const Point& point : Thin(curve, most)) {
      json::value step = nullptr;
      if (point.step) step = *point.step;
      json::value value = nullptr;
      if (std::isfinite(point.value)) value = point.value;
      points.push_back(json::array{point.wall_ms, std::move(step), std::move(value)});
    }
    series.push_back(
        json::object{{"rank", key.first}, {"name", key.second}, {"points", std::move(points)}});
  }
  return series;
}

std::vector<SeriesTable::Point> Thin(const std::vector<SeriesTable::Point>& points, size_t most) {
  if (points.size() <= most || most < 4) return points;
  std::set<size_t> kept = {0, points.size() - 1};
  const size_t runs = most / 2;
  const auto less = [&](size_t a, size_t b) { return points[a].value < points[b].value; };
  for (size_t run = 0; run < runs; ++run) {
    const size_t begin = points.size() * run / runs;
    const size_t end = points.size() * (run + 1) / runs;
    size_t low = begin, high = begin;
    for (size_t i = begin; i < end; ++i) {
      if (less(i, low)) low = i;
      if (less(high, i)) high = i;
    }
    kept.insert({low, high});
  }
  std::vector<SeriesTable::Point> thinned;
  for (const size_t i : kept) thinned.push_back(points[i]);
  return thinned;
}

}  // namespace muster::api
