#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace muster::cli {

// A point in time as wall milliseconds: "10m" (that long ago), "2026-01-31", "2026-01-31 14:05",
// "2026-01-31T14:05:09" (local), or with a Z at the end (UTC). kInvalid names the forms.
Result<int64_t> ParseWhen(std::string_view text, int64_t now_ms);

}  // namespace muster::cli
