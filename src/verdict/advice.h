#pragma once

#include <string>
#include <string_view>

#include "verdict/verdict.h"

namespace muster::verdict {

// One sentence that says what the user can do. `line` is the log line that shows the cause; it
// selects a more specific sentence where a class has several.
std::string AdviceFor(CauseClass cause, std::string_view line, const JobSpec& spec);

// Whether the unchanged job may succeed on a retry.
bool RetryMakesSense(CauseClass cause);

}  // namespace muster::verdict
