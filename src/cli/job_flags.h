#pragma once

#include <vector>

#include "base/result.h"
#include "cli/flags.h"
#include "model/spec_flags.h"

namespace muster::cli {

// The flags that correspond to keys of a job file; for `run` and `plan`.
std::vector<Flag> JobFlags();

// The flag values as typed, without the job file; the model checks them.
Result<FlagValues> ReadJobFlags(const Args& args);

}  // namespace muster::cli
