#include "cli/waiting.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/job_list.h"

namespace muster::cli {
namespace {

// Such a job does not end by itself.
std::unexpected<Error> Unproven(const JobView& job) {
  return Fail(Code::kUnavailable, fmt::format("job {} is not over: {}", job.id, job.reason),
              fmt::format("'muster describe {}' has the cause", job.id));
}

// Looks at every open job once and moves ended ones to `result`.
Status Look(Api& api, std::vector<JobId>& open, WaitResult& result,
            const std::function<void(const JobView&)>& each) {
  for (size_t i = 0; i < open.size();) {
    auto answer = GetJob(api, open[i]);
    if (!answer && ServerIsAway(answer.error())) {
      (void)api.Reconnect();  // the next look reports a failure
      return {};
    }
    MUSTER_TRY(answer);
    JobView job = ReadJob(*answer);
    if (!job.IsOver()) {
      if (job.IsUnproven()) return Unproven(job);
      ++i;
      continue;
    }
    open.erase(open.begin() + long(i));
    if (each) each(job);
    result.ended.push_back(std::move(job));
  }
  return {};
}

}  // namespace

int ExitCodeOf(const JobView& job) {
  if (job.state == "succeeded") return 0;
  const Attempt* attempt = job.last();
  if (attempt && attempt->exit)
    if (const int code = ShellExitCode(*attempt->exit); code != 0) return code;
  return job.state == "stopped" ? 130 : 1;
}

Result<WaitResult> WaitForJobs(Api& api, const Clock& clock, Interrupts& interrupts,
                               std::vector<JobId> ids, const WaitOptions& options) {
  WaitResult result;
  const int64_t began = clock.SteadyMs();
  for (int64_t pause = options.first_pause_ms;;
       pause = std::min(pause * 2, options.first_pause_ms * 10)) {
    MUSTER_TRY(Look(api, ids, result, options.each));
    if (options.pass) options.pass(ids.size());
    if (ids.empty()) return result;
    const int64_t used = clock.SteadyMs() - began;
    if (options.timeout_ms && used >= *options.timeout_ms) {
      result.timed_out = true;
      return result;
    }
    const int64_t left = options.timeout_ms ? *options.timeout_ms - used : pause;
    if (interrupts.Sleep(std::min(pause, left))) {
      result.interrupted = true;
      return result;
    }
  }
}

}  // namespace muster::cli
