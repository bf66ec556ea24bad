#pragma once

#include "base/result.h"
#include "cli/api.h"
#include "cli/context.h"
#include "cli/flags.h"
#include "cli/submit.h"

namespace muster::cli {

// What follows a submit. Detached (-d): the ids on standard output and nothing else there.
// Otherwise the job is watched to its end and the exit code is the job's; Ctrl-C asks what to do.
// The jobs of a sweep are watched as a group, and the exit code is that of the first that failed.
Result<int> AfterSubmit(Context& context, Api& api, const Args& args, const Submitted& submitted,
                        int ranks);

}  // namespace muster::cli
