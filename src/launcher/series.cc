#include "launcher/series.h"

#include <utility>

#include <fmt/format.h>

#include "base/json.h"

namespace muster::launcher {
namespace {

metrics::LineEnd EndOf(LineTail::End end) {
  switch (end) {
    case LineTail::End::kNewline:
      return metrics::LineEnd::kNewline;
    case LineTail::End::kReturn:
      return metrics::LineEnd::kReturn;
    case LineTail::End::kCut:
      break;
  }
  return metrics::LineEnd::kCut;
}

}  // namespace

void SeriesReader::Look(int log, int64_t size) {
  log_tail_.Look(log, size, [this](std::string_view line, LineTail::End end) {
    changed_ |= progress_.Take(line, EndOf(end));
  });
}

void SeriesReader::LookAtReports(int file, int64_t size) {
  reports_tail_.Look(file, size, [this](std::string_view line, LineTail::End) {
    changed_ |= reported_.Take(line);
  });
}

void SeriesReader::Close() {
  log_tail_.Close([this](std::string_view line, LineTail::End end) {
    changed_ |= progress_.Take(line, EndOf(end));
  });
  // A JSON object is complete or no object: a cut line does no harm.
  reports_tail_.Close([this](std::string_view line, LineTail::End) {
    if (line.ends_with('}')) changed_ |= reported_.Take(line);
  });
}

bool SeriesReader::HasTrained() const {
  const auto& values = progress_.values();
  if (!reported_.measured().values.empty()) return true;
  return values.contains("step") || values.contains("loss") || values.contains("throughput");
}

std::optional<std::string> SeriesReader::TakeLine(int64_t wall_ms) {
  if (!std::exchange(changed_, false)) return std::nullopt;
  const metrics::Measured measured = metrics::Merge(progress_.measured(), reported_.measured());
  json::object line = metrics::MeasuredToJson(measured);
  line["wall_ms"] = wall_ms;
  line["rank"] = rank_;
  return ToJson(line) + "\n";
}

std::optional<std::string> SeriesReader::TakeFault() {
  if (reported_.fault().empty() || std::exchange(fault_told_, true)) return std::nullopt;
  return fmt::format("rank {}: $MUSTER_METRICS has a line that is not read: {}", rank_,
                     reported_.fault());
}

}  // namespace muster::launcher
