#pragma once

#include <vector>

#include "base/result.h"
#include "cli/flags.h"
#include "model/spec_flags.h"

namespace muster::cli {

// The flags that say what a job file can say; `run` and `plan` take them.
std::vector<Flag> JobFlags();

// What was typed, for the model to judge; the job file is not part of it.
Result<FlagValues> ReadJobFlags(const Args& args);

}  // namespace muster::cli
