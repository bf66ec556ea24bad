#pragma once

#include "base/result.h"
#include "cli/context.h"
#include "cli/flags.h"
#include "cli/job_input.h"

namespace muster::cli {

// `muster run --rehearse`: the job's exact layout on this machine, on a server and virtual nodes of
// its own, until its ranks have trained a few steps (or met, where no step is told). Prints the
// verdict. The exit code: 0 it starts, 1 it does not, 3 not known, 130 interrupted.
Result<int> Rehearse(Context& context, const Args& args, const JobInput& input);

}  // namespace muster::cli
