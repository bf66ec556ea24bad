#include <fmt/format.h>

#include "base/text.h"
#include "cli/connect.h"
#include "cli/job_view.h"
#include "cli/job_words.h"
#include "cli/verbs.h"
#include "cli/waiting.h"

namespace muster::cli {
namespace {

constexpr int kTimedOut = 124;  // as timeout(1)
constexpr int kInterrupted = 130;

Result<std::optional<int64_t>> ReadTimeout(const Args& args) {
  if (!args.Has("timeout")) return std::nullopt;
  MUSTER_ASSIGN(const int64_t ms, ParseDuration(args.Get("timeout")));
  return ms;
}

Result<int> Run(Context& context, const Args& args) {
  MUSTER_ASSIGN(const auto timeout, ReadTimeout(args));
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  MUSTER_ASSIGN(const std::vector<JobId> ids, FindJobs(*api, args.words));
  Interrupts interrupts;
  int code = 0;
  const auto each = [&](const JobView& job) {
    if (code == 0) code = ExitCodeOf(job);
    if (args.Has("json")) {
      context.screen.Out(ToJson(json::object{{"id", job.id},
                                             {"state", job.state},
                                             {"reason", job.reason},
                                             {"exit_code", ExitCodeOf(job)}}) +
                         "\n");
    } else {
      context.screen.Out(context.screen.Painted(StatePaint(job.state), Headline(job)) + "\n");
    }
  };
  MUSTER_ASSIGN(const WaitResult result, WaitForJobs(*api, context.clock, interrupts, ids,
                                                     {.timeout_ms = timeout, .each = each}));
  if (result.interrupted) return kInterrupted;
  if (!result.timed_out) return code;
  context.screen.Err(fmt::format("muster: {} of {} jobs are not over after {}\n",
                                 ids.size() - result.ended.size(), ids.size(),
                                 HumanDuration(timeout.value_or(0))));
  return kTimedOut;
}

}  // namespace

Verb WaitVerb() {
  return {
      .name = "wait",
      .aliases = {},
      .summary = "Wait until jobs are over; the exit code is that of the first that failed",
      .words = "ID|GROUP...",
      .least_words = 1,
      .most_words = -1,
      .completes = Completes::kUnfinishedJob,
      .flags = {{"timeout", 't', "TIME", "give up after 90s, 15m, 2h; the exit code is 124 then"}},
      .examples = {{"muster wait 17 18", "both"},
                   {"muster wait sweep-3", "every job of a sweep"},
                   {"muster wait --timeout 2h 17 && muster describe 17", "then look at it"}},
      .run = Run};
}

}  // namespace muster::cli
