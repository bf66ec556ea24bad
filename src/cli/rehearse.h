#pragma once

#include "base/result.h"
#include "cli/context.h"
#include "cli/flags.h"
#include "cli/job_input.h"

namespace muster::cli {

// `muster run --rehearse`: runs the exact layout of the job on this machine, with a private server
// and virtual nodes, until its ranks have trained a few steps (or connected, if no step is logged).
// Prints the verdict. Exit code: 0 it starts, 1 it does not, 3 unknown, 130 interrupted.
Result<int> Rehearse(Context& context, const Args& args, const JobInput& input);

}  // namespace muster::cli
