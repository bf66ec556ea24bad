#pragma once

#include <string>

#include "base/result.h"
#include "cli/api.h"
#include "cli/context.h"
#include "cli/flags.h"
#include "cli/job_input.h"

namespace muster::cli {

// Snapshots the job's code folder and brings it to the server, telling folder, size and snapshot in
// one line on standard error. The hash; empty when no code goes along.
Result<std::string> TakeCode(Context& context, Api& api, const Args& args, const JobInput& input);

}  // namespace muster::cli
