#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::cli {

// True for lines in which the extended regular expression matches, as `grep -E`. kInvalid says what
// is wrong with the expression.
Result<std::function<bool(std::string_view line)>> GrepPattern(const std::string& expression);

}  // namespace muster::cli
