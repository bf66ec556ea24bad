#pragma once

#include <optional>

#include "cli/context.h"
#include "cli/job_input.h"

namespace muster::cli {

// ReadJobInput for a verb. With --json the faults of a job are printed as
// {"error": {…, "faults": [{"path", "line", "column", "found", "expected", "hint"}]}}, and the
// verb's exit code comes back in `exit_code`.
Result<JobInput> ReadJobOf(Context& context, const Args& args, std::optional<int>& exit_code);

}  // namespace muster::cli
