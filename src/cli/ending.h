#pragma once

#include <string>
#include <vector>

#include "cli/api.h"
#include "cli/job_view.h"
#include "cli/screen.h"

namespace muster::cli {

// The last log lines of the rank that failed first; empty if there is none or they are unavailable.
std::vector<std::string> FailingLines(Api& api, const JobView& job, int count);

// The summary after a job, for standard error: how it ended (for a failure the rank, its last lines
// and the advice), the places of logs and outputs, and the next commands.
std::string EndingText(const Screen& screen, const JobView& job,
                       const std::vector<std::string>& failing_lines);

// The next commands after the submit of a job.
std::string NextCommands(JobId id);

}  // namespace muster::cli
