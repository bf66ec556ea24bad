#pragma once

#include <string>

#include "verdict/verdict.h"

namespace muster::verdict {

// One plain sentence on what to do, with the job's own numbers where they help.
std::string AdviceFor(CauseClass cause, const JobSpec& spec);

// Whether the very same job may end well next time.
bool RetryMakesSense(CauseClass cause);

}  // namespace muster::verdict
