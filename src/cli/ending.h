#pragma once

#include <string>
#include <vector>

#include "cli/api.h"
#include "cli/job_view.h"
#include "cli/screen.h"

namespace muster::cli {

// The last lines of the rank that failed first; empty when no rank did, or they cannot be had.
std::vector<std::string> FailingLines(Api& api, const JobView& job, int count);

// What a person reads when a job is over: how it ended (for a failure: which rank, its last lines,
// what to do), where logs and outputs are, and the next commands. For standard error.
std::string EndingText(const Screen& screen, const JobView& job,
                       const std::vector<std::string>& failing_lines);

// The commands to go on with after a submit, for one job.
std::string NextCommands(JobId id);

}  // namespace muster::cli
