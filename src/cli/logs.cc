#include <fmt/format.h>

#include "base/text.h"
#include "cli/connect.h"
#include "cli/follow.h"
#include "cli/job_list.h"
#include "cli/job_view.h"
#include "cli/log_view.h"
#include "cli/raw_log.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

constexpr int64_t kMostTail = 10'000;  // what the server looks back for

struct Wish {
  JobId job = 0;
  std::optional<int64_t> rank, tail, attempt;
  bool follow = false, raw = false, as_json = false;
};

Result<Wish> ReadWish(const Args& args) {
  Wish wish;
  MUSTER_ASSIGN(wish.job, ParseJobId(args.words[0]));
  MUSTER_ASSIGN(wish.rank, args.Int("rank", 0, 1'000'000));
  MUSTER_ASSIGN(wish.tail, args.Int("tail", 0, kMostTail));
  MUSTER_ASSIGN(wish.attempt, args.Int("attempt", 1, 1'000'000));
  wish.follow = args.Has("follow");
  wish.raw = args.Has("raw");
  wish.as_json = args.Has("json");
  return wish;
}

Result<int> ShowStream(Context& context, Api& api, const Wish& wish, const JobView& job) {
  FollowRequest request;
  request.follow = wish.follow;
  request.target = fmt::format("/jobs/{}/logs?follow={}", wish.job, int(wish.follow));
  const auto add = [&](std::string_view name, std::optional<int64_t> value) {
    if (value) request.target += fmt::format("&{}={}", name, *value);
  };
  add("rank", wish.rank);
  add("tail", wish.tail);
  add("attempt", wish.attempt);
  request.on_interrupt = [] { return false; };

  LogViewOptions options;
  options.prefixes = !wish.raw && !wish.rank && job.Ranks() > 1;
  options.live = wish.follow && context.screen.out_is_terminal && !wish.as_json;
  options.as_json = wish.as_json;
  options.title = fmt::format("job {}", wish.job);
  options.began_ms = job.last() ? job.last()->started_ms : job.created_ms;
  LogView view(context.screen, context.clock, options);
  Interrupts interrupts;
  MUSTER_ASSIGN(const Followed how, Follow(api, view, interrupts, request));
  if (how == Followed::kEnded && wish.follow && context.screen.out_is_terminal && !wish.as_json)
    context.screen.Err(fmt::format("muster: job {} {}\n", wish.job, view.end()->state));
  return 0;
}

Result<int> ShowBytes(Context& context, Api& api, const Wish& wish, const JobView& job) {
  RawLogRequest request;
  request.job = wish.job;
  request.rank = int(wish.rank.value_or(0));
  request.attempt = int(wish.attempt.value_or(job.attempts.back().number));
  request.one_attempt = wish.attempt.has_value();
  request.tail = wish.tail;
  request.follow = wish.follow;
  Interrupts interrupts;
  MUSTER_TRY(CopyRawLog(api, context.screen, interrupts, request));
  return 0;
}

Result<int> Run(Context& context, const Args& args) {
  MUSTER_ASSIGN(const Wish wish, ReadWish(args));
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  MUSTER_ASSIGN(const json::object answer, GetJob(*api, wish.job));
  const JobView job = ReadJob(answer);
  const bool one_rank = wish.rank || job.Ranks() == 1;
  if (one_rank && !job.attempts.empty() && !wish.as_json)
    return ShowBytes(context, *api, wish, job);
  if (job.attempts.empty() && !wish.follow && !wish.as_json) {
    context.screen.Err(
        fmt::format("muster: job {} has written nothing yet: it is {}\n", job.id, job.state));
    return 0;
  }
  return ShowStream(context, *api, wish, job);
}

}  // namespace

Verb LogsVerb() {
  return {.name = "logs",
          .aliases = {},
          .summary = "Show what the ranks of a job write",
          .words = "ID",
          .least_words = 1,
          .most_words = 1,
          .completes = Completes::kJob,
          .flags = {{"follow", 'f', nullptr, "go on until the job is over"},
                    {"rank", 'r', "RANK", "one rank alone, its very bytes"},
                    {"tail", 'n', "LINES", "the last lines of each rank"},
                    {"attempt", 0, "NUMBER", "this attempt (else the last one)"},
                    {"raw", 0, nullptr, "no prefixes"}},
          .examples = {{"muster logs -f 17", "follow all ranks"},
                       {"muster logs 17 -r 3 -n 100", "the last hundred lines of rank 3"}},
          .run = Run};
}

}  // namespace muster::cli
