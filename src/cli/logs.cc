#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/connect.h"
#include "cli/follow.h"
#include "cli/grep_pattern.h"
#include "cli/job_list.h"
#include "cli/job_view.h"
#include "cli/job_words.h"
#include "cli/log_view.h"
#include "cli/raw_log.h"
#include "cli/verbs.h"
#include "cli/when.h"

namespace muster::cli {
namespace {

constexpr int64_t kMostTail = 10'000;  // lines that the server looks back for

struct LogsOptions {
  std::string ranks;  // "0,2-4"; empty: all
  std::optional<int64_t> one_rank, tail, attempt, since_ms;
  std::function<bool(std::string_view)> grep;
  bool follow = false, raw = false, times = false, as_json = false, hooks = false;
};

Result<LogsOptions> ReadOptions(const Context& context, const Args& args) {
  LogsOptions options;
  options.ranks = Join(args.All("rank"), ",");
  options.one_rank = ParseInt(options.ranks);
  if (options.one_rank && *options.one_rank < 0) options.one_rank.reset();  // the server refuses it
  MUSTER_ASSIGN(options.tail, args.Int("tail", 0, kMostTail));
  MUSTER_ASSIGN(options.attempt, args.Int("attempt", 1, 1'000'000));
  if (args.Has("since")) {
    MUSTER_ASSIGN(options.since_ms, ParseWhen(args.Get("since"), context.clock.WallMs()));
  }
  if (args.Has("grep")) {
    MUSTER_ASSIGN(options.grep, GrepPattern(args.Get("grep")));
  }
  options.follow = args.Has("follow");
  options.raw = args.Has("raw");
  options.times = args.Has("timestamps");
  options.as_json = args.Has("json");
  options.hooks = args.Has("hooks");
  const bool of_ranks = !options.ranks.empty() || options.since_ms || options.grep ||
                        options.times || options.as_json;
  if (options.hooks && of_ranks)
    return Fail(Code::kInvalid, "--hooks shows the output of nodes, not of ranks",
                "use it with --tail, --attempt and --follow only");
  return options;
}

std::string StreamTarget(JobId job, const LogsOptions& options) {
  std::string target = fmt::format("/jobs/{}/logs?follow={}", job, int(options.follow));
  const auto add = [&target](std::string_view name, std::optional<int64_t> value) {
    if (value) target += fmt::format("&{}={}", name, *value);
  };
  if (!options.ranks.empty()) target += "&rank=" + http::UrlEncode(options.ranks);
  add("tail", options.tail);
  add("attempt", options.attempt);
  add("since", options.since_ms);
  if (options.times) target += "&times=1";
  return target;
}

Result<int> ShowStream(Context& context, Api& api, const LogsOptions& options, const JobView& job) {
  FollowRequest request;
  request.follow = options.follow;
  request.target = StreamTarget(job.id, options);
  request.on_interrupt = [] { return false; };

  const bool live_terminal = context.screen.out_is_terminal && !options.as_json;
  LogViewOptions view_options;
  view_options.lines.prefixes = !options.raw && !options.one_rank && job.Ranks() > 1;
  view_options.lines.times = options.times;
  view_options.lines.keep = options.grep;
  view_options.safe = live_terminal && !options.raw;
  view_options.live = options.follow && live_terminal;
  view_options.as_json = options.as_json;
  view_options.title = fmt::format("job {}", job.id);
  view_options.began_ms = job.last() ? job.last()->started_ms : job.created_ms;
  LogView view(context.screen, context.clock, view_options);
  Interrupts interrupts;
  MUSTER_ASSIGN(const Followed how, Follow(api, view, interrupts, request));
  view.Finish();
  if (how == Followed::kEnded && options.follow && live_terminal)
    context.screen.Err(fmt::format("muster: job {} {}\n", job.id, view.end()->state));
  return 0;
}

Result<int> ShowBytes(Context& context, Api& api, const LogsOptions& options, const JobView& job) {
  RawLogRequest request;
  request.job = job.id;
  request.rank = int(options.one_rank.value_or(0));
  request.attempt = int(options.attempt.value_or(job.attempts.back().number));
  request.one_attempt = options.attempt.has_value();
  request.tail = options.tail;
  request.follow = options.follow;
  request.safe = context.screen.out_is_terminal && !options.raw;
  Interrupts interrupts;
  MUSTER_TRY(CopyRawLog(api, context.screen, interrupts, request));
  return 0;
}

// The output of all nodes, one after the other; only that of a single node can be followed.
Result<int> ShowHooks(Context& context, Api& api, const LogsOptions& options, const JobView& job) {
  const int64_t number = options.attempt.value_or(job.attempts.back().number);
  const auto attempt = std::ranges::find(job.attempts, number, &Attempt::number);
  if (attempt == job.attempts.end())
    return Fail(Code::kNotFound, fmt::format("job {} has no attempt {}", job.id, number));
  const bool several = attempt->nodes.size() > 1;
  if (several && options.follow)
    return Fail(Code::kInvalid, "the hooks of several nodes cannot be followed", "leave out -f");
  Interrupts interrupts;
  for (size_t node = 0; node < attempt->nodes.size(); ++node) {
    if (several) context.screen.Out(fmt::format("==> {} <==\n", attempt->nodes[node].name));
    RawLogRequest request;
    request.job = job.id;
    request.hooks_of_node = int(node);
    request.attempt = attempt->number;
    request.one_attempt = options.attempt.has_value();
    request.tail = options.tail;
    request.follow = options.follow;
    request.safe = context.screen.out_is_terminal && !options.raw;
    MUSTER_TRY(CopyRawLog(api, context.screen, interrupts, request));
  }
  return 0;
}

Result<int> ShowJob(Context& context, Api& api, const LogsOptions& options, JobId id) {
  MUSTER_ASSIGN(const json::object answer, GetJob(api, id));
  const JobView job = ReadJob(answer);
  const bool one_rank = options.one_rank || (options.ranks.empty() && job.Ranks() == 1);
  const bool changed = options.as_json || options.since_ms || options.times || options.grep;
  if (options.hooks && !job.attempts.empty()) return ShowHooks(context, api, options, job);
  if (one_rank && !changed && !job.attempts.empty()) return ShowBytes(context, api, options, job);
  if (job.attempts.empty() && !options.follow && !options.as_json) {
    context.screen.Err(
        fmt::format("muster: job {} has written nothing yet: it is {}\n", job.id, job.state));
    return 0;
  }
  return ShowStream(context, api, options, job);
}

Result<int> Run(Context& context, const Args& args) {
  MUSTER_ASSIGN(const LogsOptions options, ReadOptions(context, args));
  if (!IsGroupName(args.words[0])) MUSTER_TRY(ParseJobId(args.words[0]));
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  MUSTER_ASSIGN(const std::vector<JobId> jobs, FindJobs(*api, args.words));
  if (jobs.size() > 1 && options.follow)
    return Fail(Code::kInvalid, fmt::format("--follow takes one job, found {}", jobs.size()),
                fmt::format("muster logs -f {}", jobs.front()));
  for (const JobId id : jobs) {
    if (jobs.size() > 1 && !options.as_json)
      context.screen.Out(fmt::format("==> job {} <==\n", id));  // as tail(1)
    MUSTER_TRY(ShowJob(context, *api, options, id));
  }
  return 0;
}

}  // namespace

Verb LogsVerb() {
  return {
      .name = "logs",
      .aliases = {},
      .summary = "Show the output of a job's ranks",
      .words = "ID|GROUP...",
      .least_words = 1,
      .most_words = -1,
      .completes = Completes::kJob,
      .flags = {{"follow", 'f', nullptr, "continue until the job is over"},
                {"rank", 'r', "RANKS", "only these ranks: 3, or 0,2-4; may be repeated", true},
                {"tail", 'n', "LINES", "only the last lines of each rank"},
                {"since", 0, "TIME", "only output since then: 10m, or '2026-01-31 14:05'"},
                {"timestamps", 't', nullptr, "the time in front of each line"},
                {"grep", 'g', "PATTERN", "only lines that match, as grep -E"},
                {"attempt", 0, "NUMBER", "of this attempt; default: the last one"},
                {"hooks", 0, nullptr, "the output of fetches, pre-start scripts and hooks instead"},
                {"raw", 0, nullptr, "all bytes as written: no prefixes, no filter on a terminal"}},
      .examples = {{"muster logs -f 17", "follow all ranks"},
                   {"muster logs 17 -r 3 -n 100", "the last hundred lines of rank 3"},
                   {"muster logs 17 -t --since 10m -g 'loss|error'",
                    "matching lines of the last ten minutes, with their times"},
                   {"muster logs sweep-3 -n 5", "the last lines of every job of a sweep"}},
      .run = Run};
}

}  // namespace muster::cli
