#pragma once

#include <string>

#include "base/result.h"
#include "cli/api.h"
#include "cli/context.h"
#include "cli/flags.h"
#include "cli/job_input.h"

namespace muster::cli {

// Takes a snapshot of the job's code folder and uploads it; one line on standard error names
// folder, reason, size and snapshot. Returns the hash, which is empty when no code is uploaded.
// kInvalid when ignore rules exclude a file that the job's commands name or its script imports.
Result<std::string> TakeCode(Context& context, Api& api, const Args& args, const JobInput& input);

}  // namespace muster::cli
