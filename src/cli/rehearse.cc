#include "cli/rehearse.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/follow.h"
#include "cli/job_view.h"
#include "cli/log_view.h"
#include "cli/rank_links.h"
#include "cli/rehearsal.h"
#include "cli/stage.h"
#include "cli/submit.h"
#include "cli/take_code.h"
#include "cli/waiting.h"
#include "dialect/command.h"
#include "model/source.h"

namespace muster::cli {
namespace {

constexpr int kMostRanks = 256;
constexpr int64_t kLookEveryMs = 500;
constexpr int kInterrupted = 130;
// Share of the total time for a first step after the ranks connected.
constexpr int64_t kSettleShare = 10;

// Inputs that only the cluster has: the command gets their names, as it would there.
JobSpec WithoutMissingInputs(JobSpec spec) {
  const auto is_missing = [](const auto& input) {
    return !IsFar(input.second) && ::access(dialect::PlainPath(input.second).c_str(), F_OK) != 0;
  };
  for (const auto& input : spec.inputs) {
    if (!is_missing(input)) continue;
    for (Role& role : spec.roles) {
      const auto same = [&](const auto& pair) { return pair.first == input.first; };
      if (std::ranges::none_of(role.parameters, same)) role.parameters.push_back(input);
    }
  }
  std::erase_if(spec.inputs, is_missing);
  return spec;
}

// Shows the log lines of the job, records its metrics and processes, and decides when the rehearsal
// is sufficient.
class RehearsalView final : public StreamView {
 public:
  RehearsalView(Context& context, RehearsalGoal goal, std::string job_folder, bool silent)
      : clock_(context.clock),
        job_folder_(std::move(job_folder)),
        silent_(silent),
        rehearsal_(goal, context.clock.SteadyMs()),
        log_(context.screen, context.clock,
             {.lines = {.prefixes = goal.ranks > 1},
              .safe = context.screen.out_is_terminal,
              .live = context.screen.out_is_terminal && !silent,
              .title = "rehearsal"}) {}

  void Take(const http::SseEvent& event) override {
    const auto parsed = ParseJson(event.data);
    const json::object* data = parsed ? parsed->if_object() : nullptr;
    if (data && event.event == "progress")
      if (const json::object* values = GetObject(*data, "values"))
        rehearsal_.RankTold(int(GetInt(*data, "rank")), *values);
    if (!silent_ || event.event == "end") log_.Take(event);
    Look();
  }
  void Tick() override {
    if (!silent_) log_.Tick();
    Look();
  }
  void Clear() override { log_.Clear(); }
  void Say(std::string_view text) override { log_.Say(text); }
  bool ended() const override { return log_.ended() || rehearsal_.Enough(clock_.SteadyMs()); }
  bool broken() const override { return log_.broken(); }

  bool EndedByItself() const { return log_.ended(); }
  Rehearsal& rehearsal() { return rehearsal_; }

 private:
  void Look() {
    const int64_t now = clock_.SteadyMs();
    if (now - looked_ms_ < kLookEveryMs || log_.ended()) return;
    const RanksNow ranks = LookAtRanks(job_folder_);
    rehearsal_.RanksRun(ranks.running);
    rehearsal_.RanksLinked(ranks.links, now);
    looked_ms_ = clock_.SteadyMs();
  }

  const Clock& clock_;
  const std::string job_folder_;
  const bool silent_;
  Rehearsal rehearsal_;
  LogView log_;
  int64_t looked_ms_ = 0;
};

Result<RehearsalGoal> ReadGoal(const Args& args, const JobSpec& spec) {
  RehearsalGoal goal;
  goal.ranks = spec.TotalRanks();
  if (goal.ranks > kMostRanks)
    return Fail(
        Code::kInvalid,
        fmt::format("cannot rehearse {} ranks on one machine, at most {}", goal.ranks, kMostRanks),
        "rehearse fewer nodes: muster run --rehearse -N 2 …");
  MUSTER_ASSIGN(const auto steps, args.Int("rehearse-steps", 1, 1'000'000));
  if (steps) goal.steps = int(*steps);
  if (args.Has("rehearse-time")) {
    auto limit = ParseDuration(args.Get("rehearse-time"));
    if (!limit) return Fail(Code::kInvalid, "--rehearse-time: " + limit.error().text);
    goal.limit_ms = std::max<int64_t>(1000, *limit);
  }
  goal.settle_ms = goal.limit_ms / kSettleShare;
  return goal;
}

Result<JobId> SubmitTo(Context& context, Stage& stage, const Args& args, const JobInput& input,
                       const JobSpec& spec) {
  MUSTER_ASSIGN(const std::string hash, TakeCode(context, stage.api(), args, input));
  json::object body{{"spec", ToJsonObject(spec)}, {"user", UserName()}};
  if (!hash.empty()) body["code_hash"] = hash;
  MUSTER_ASSIGN(const Submitted submitted, SubmitOnce(stage.api(), "/jobs", body));
  return submitted.jobs.front().first;
}

// Stops the job and waits until it is clean; returns its final state.
Result<JobView> EndJob(Context& context, Api& api, JobId id, Interrupts& interrupts) {
  const auto asked = api.Post(fmt::format("/jobs/{}/stop", id), json::object{{"grace", "2s"}});
  if (!asked && asked.error().code != Code::kConflict) return std::unexpected(asked.error());
  MUSTER_ASSIGN(WaitResult result, WaitForJobs(api, context.clock, interrupts, {id}, {}));
  if (result.ended.empty()) return Fail(Code::kTimeout, "the rehearsed job is still being stopped");
  return std::move(result.ended.front());
}

RehearsalEnd HowItEnded(const JobView& job) {
  RehearsalEnd end;
  end.failed = job.state == "failed";
  end.succeeded = job.state == "succeeded";
  if (!end.failed) return end;
  end.headline = job.reason;
  if (!job.verdict) return end;
  end.headline = job.verdict->headline;
  end.cause = job.verdict->cause;
  end.advice = job.verdict->advice;
  if (!job.verdict->evidence.empty()) end.evidence = job.verdict->evidence.back();
  return end;
}

int StartedRanks(const JobView& job) {
  const Attempt* attempt = job.last();
  if (attempt == nullptr) return 0;
  return int(std::ranges::count_if(attempt->ranks,
                                   [](const RankInfo& rank) { return rank.started_ms > 0; }));
}

void Print(Context& context, Stage& stage, const RehearsalReport& report, bool as_json) {
  const bool keep = report.answer != Answer::kYes;
  if (keep) stage.Keep();
  const std::string logs = keep ? (stage.folder() / "jobs").string() : "";
  if (as_json) {
    json::object answer = ToJsonObject(report);
    answer["folder"] = logs;
    context.screen.Out(ToPrettyJson(answer));
    return;
  }
  context.screen.Out(RehearsalText(report));
  if (keep) context.screen.Out(fmt::format("  logs: {}\n", logs));
}

}  // namespace

Result<int> Rehearse(Context& context, const Args& args, const JobInput& input) {
  const bool as_json = args.Has("json");
  if (args.Has("detach")) return Fail(Code::kInvalid, "a rehearsal is watched: leave out -d");
  MUSTER_ASSIGN(const RehearsalGoal goal, ReadGoal(args, input.specs.front()));
  const JobSpec spec = WithoutMissingInputs(RehearsalSpec(input.specs.front(), goal.limit_ms));
  if (input.specs.size() > 1)
    context.screen.Err(fmt::format("muster: the first of {} jobs of this sweep is rehearsed\n",
                                   input.specs.size()));
  // Any termination of this program, also by a closed terminal, ends the rehearsal.
  Interrupts interrupts({SIGINT, SIGTERM, SIGHUP});
  MUSTER_ASSIGN(const auto stage, Stage::Open(context, RehearsalNodes(spec)));
  MUSTER_ASSIGN(const JobId id, SubmitTo(context, *stage, args, input, spec));

  const os::Path folder = stage->folder() / "jobs" / std::to_string(id);
  RehearsalView view(context, goal, folder.string(), as_json);
  FollowRequest request;
  request.target = fmt::format("/jobs/{}/logs?follow=1", id);
  request.on_interrupt = [] { return false; };
  const auto followed = Follow(stage->api(), view, interrupts, request);
  view.Clear();
  MUSTER_ASSIGN(const JobView job, EndJob(context, stage->api(), id, interrupts));
  MUSTER_TRY(followed);
  if (*followed != Followed::kEnded) return kInterrupted;
  view.rehearsal().RanksRun(StartedRanks(job));
  const RehearsalEnd end = view.EndedByItself() ? HowItEnded(job) : RehearsalEnd{};
  const RehearsalReport report = JudgeRehearsal(spec, view.rehearsal(), end);
  Print(context, *stage, report, as_json);
  return ExitCodeOf(report.answer);
}

}  // namespace muster::cli
