#include "cli/waiting.h"

#include <algorithm>

#include "cli/job_list.h"

namespace muster::cli {
namespace {

constexpr int64_t kFirstPauseMs = 50;
constexpr int64_t kLongestPauseMs = 500;

// Looks at every open job once and moves those that are over to `result`.
Status Look(Api& api, std::vector<JobId>& open, WaitResult& result,
            const std::function<void(const JobView&)>& each) {
  for (size_t i = 0; i < open.size();) {
    auto answer = GetJob(api, open[i]);
    if (!answer && ServerIsAway(answer.error())) {
      (void)api.Reconnect();  // the next look tells
      return {};
    }
    MUSTER_TRY(answer);
    JobView job = ReadJob(*answer);
    if (!job.IsOver()) {
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
                               std::vector<JobId> ids, std::optional<int64_t> timeout_ms,
                               const std::function<void(const JobView&)>& each,
                               const std::function<void(size_t open)>& pass) {
  WaitResult result;
  const int64_t began = clock.SteadyMs();
  for (int64_t pause = kFirstPauseMs;; pause = std::min(pause * 2, kLongestPauseMs)) {
    MUSTER_TRY(Look(api, ids, result, each));
    if (pass) pass(ids.size());
    if (ids.empty()) return result;
    const int64_t left = timeout_ms ? *timeout_ms - (clock.SteadyMs() - began) : pause;
    if (left <= 0) {
      result.timed_out = true;
      return result;
    }
    if (interrupts.Sleep(std::min(pause, left))) {
      result.interrupted = true;
      return result;
    }
  }
}

}  // namespace muster::cli
