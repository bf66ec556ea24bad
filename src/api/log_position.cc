#include "api/log_position.h"

#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::api {
namespace {

std::optional<int> SmallInt(std::string_view text) {
  const std::optional<int64_t> number = ParseInt(text);
  if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) return std::nullopt;
  return int(*number);
}

bool TakeRank(std::string_view text, std::map<int, int64_t>& offsets) {
  const size_t colon = text.find(':');
  if (colon == text.npos) return false;
  const std::optional<int> rank = SmallInt(text.substr(0, colon));
  const std::optional<int64_t> offset = ParseInt(text.substr(colon + 1));
  if (!rank || !offset || *offset < 0) return false;
  return offsets.emplace(*rank, *offset).second;
}

}  // namespace

std::string PositionText(int attempt, const RankOffsets& offsets) {
  std::string text = fmt::format("{};", attempt);
  for (const auto& [rank, offset] : offsets) {
    if (text.back() != ';') text += ',';
    fmt::format_to(std::back_inserter(text), "{}:{}", rank, offset);
  }
  return text;
}

Result<LogPosition> ParsePosition(std::string_view text) {
  const auto refuse = [] {
    return Fail(
        Code::kInvalid, "the Last-Event-ID is not one of a log stream",
        "send the id of the last event as it came, such as 1;0:1834,1:77, or leave it away");
  };
  const size_t semicolon = text.find(';');
  if (semicolon == text.npos) return refuse();
  const std::optional<int> attempt = SmallInt(text.substr(0, semicolon));
  if (!attempt) return refuse();
  LogPosition position{*attempt, {}};
  const std::string_view rest = text.substr(semicolon + 1);
  if (rest.empty()) return position;
  for (const std::string& part : Split(rest, ','))
    if (!TakeRank(part, position.offsets)) return refuse();
  return position;
}

}  // namespace muster::api
