#include "metrics/reported.h"

#include <fmt/format.h>

#include "base/text.h"
#include "metrics/json_line.h"

namespace muster::metrics {

namespace {

constexpr size_t kShownOfLine = 60;

bool IsCount(std::string_view name) { return name == "step" || name == "epoch"; }

}  // namespace

bool Reported::Take(std::string_view line) {
  if (Trim(line).empty()) return false;
  const auto object = ParsePythonJson(line);
  if (!object) {
    Fault(line, "it is not a JSON object such as {\"step\": 10, \"loss\": 0.4}");
    return false;
  }
  if (!IsFromLowestRank(*object)) return false;
  const Measured before = measured_;
  for (const bool counts : {true, false})
    for (const auto& [name, value] : *object) {
      const auto number = NumberFromJson(value);
      if (!number || name == "rank" || IsCount(name) != counts) continue;
      if (name.empty() || name.size() > kMaxNameLength) {
        Fault(line, fmt::format("a name is empty or longer than {} bytes", kMaxNameLength));
      } else if (!measured_.values.contains(name) && measured_.values.size() >= kMaxNames) {
        Fault(line, fmt::format("there are more than {} names", kMaxNames));
      } else {
        PutValue(measured_, Printable(name), *number);
      }
    }
  return !Same(before, measured_);
}

bool Reported::IsFromLowestRank(const json::object& object) {
  const json::value* member = object.if_contains("rank");
  const auto rank = member ? NumberFromJson(*member) : std::nullopt;
  if (!rank) return true;
  if (lowest_rank_ && *rank > *lowest_rank_) return false;
  if (lowest_rank_ && *rank < *lowest_rank_) measured_ = {};
  lowest_rank_ = *rank;
  return true;
}

void Reported::Fault(std::string_view line, std::string_view cause) {
  if (!fault_.empty()) return;
  fault_ = fmt::format("{}: {}", cause, Printable(line.substr(0, kShownOfLine)));
}

Measured Merge(Measured output, const Measured& reported) {
  for (const auto& [name, value] : reported.values) {
    output.values.insert_or_assign(name, value);
    output.at.erase(name);
    output.reported.insert(name);
  }
  for (const auto& [name, position] : reported.at) output.at.insert_or_assign(name, position);
  return output;
}

}  // namespace muster::metrics
