#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/api.h"
#include "cli/interrupts.h"
#include "cli/job_view.h"

namespace muster::cli {

// The exit code for an ended job: 0 for success, else as ShellExitCode.
int ExitCodeOf(const JobView& job);

struct WaitResult {
  std::vector<JobView> ended;  // in the order in which they ended, as far as one can tell
  bool interrupted = false;
  bool timed_out = false;
};

struct WaitOptions {
  std::optional<int64_t> timeout_ms;
  int64_t first_pause_ms = 50;                    // between two looks; grows to ten times as much
  std::function<void(const JobView&)> each = {};  // for every one that ends
  std::function<void(size_t open)> pass = {};     // after every look at all that are open
};

// Waits until every job is over, through absences of the server.
Result<WaitResult> WaitForJobs(Api& api, const Clock& clock, Interrupts& interrupts,
                               std::vector<JobId> ids, const WaitOptions& options);

}  // namespace muster::cli
