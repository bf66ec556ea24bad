#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace muster::api {

// The position of a log stream: the `id` of its events, "1;0:1834,1:77". A rank that is not listed
// has position 0.
struct LogPosition {
  int attempt = 0;
  std::map<int, int64_t> offsets;  // rank to sent bytes

  bool operator==(const LogPosition&) const = default;
};

using RankOffsets = std::vector<std::pair<int, int64_t>>;
std::string PositionText(int attempt, const RankOffsets& offsets);
Result<LogPosition> ParsePosition(std::string_view text);  // kInvalid describes the form

}  // namespace muster::api
