#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace muster {

// The value of `code` that sends no folder.
inline constexpr std::string_view kNoCode = "none";

// A name for a job without one: that of its code folder, else of its script or program. Always
// valid; "job" if nothing better is found.
std::string DefaultName(const json::object& document);

}  // namespace muster
