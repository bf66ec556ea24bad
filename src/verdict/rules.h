#pragma once

#include <optional>
#include <string_view>

#include "verdict/verdict.h"

namespace muster::verdict {

// The class of a failure that this log line shows, without its launcher prefixes. Nothing if the
// line matches no rule, or is printed by launchers and libraries in good runs too.
std::optional<CauseClass> ClassOfLine(std::string_view line);

}  // namespace muster::verdict
