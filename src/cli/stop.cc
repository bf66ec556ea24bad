#include <fmt/format.h>

#include "base/text.h"
#include "cli/connect.h"
#include "cli/job_list.h"
#include "cli/job_view.h"
#include "cli/job_words.h"
#include "cli/proof.h"
#include "cli/submit.h"
#include "cli/verbs.h"
#include "cli/waiting.h"

namespace muster::cli {
namespace {

Result<std::vector<JobId>> Unfinished(Api& api, const std::string& group) {
  JobQuery query;
  query.states = kUnfinished;
  query.group = group;
  MUSTER_ASSIGN(const auto rows, ListJobs(api, query, 1'000'000));
  std::vector<JobId> ids;
  for (const json::object& row : rows) ids.push_back(GetInt(row, "id"));
  return ids;
}

Result<std::vector<JobId>> Chosen(Api& api, const Args& args) {
  if (args.Has("all")) return Unfinished(api, "");
  if (args.Has("group")) return Unfinished(api, args.Get("group"));
  std::vector<JobId> ids;
  for (const std::string& word : args.words) {
    MUSTER_ASSIGN(std::vector<JobId> chosen, FindJobs(api, {word}));
    // Of a group only the jobs that can be stopped; an id gets an answer in any case.
    if (IsGroupName(word)) {
      MUSTER_ASSIGN(chosen, Unfinished(api, word));
    }
    ids.insert(ids.end(), chosen.begin(), chosen.end());
  }
  return ids;
}

Status CheckChoice(const Args& args) {
  const int ways = int(args.Has("all")) + int(args.Has("group")) + int(!args.words.empty());
  if (args.Has("confirm-clean") && args.words.empty())
    return Fail(Code::kInvalid, "--confirm-clean needs the ids of the jobs that were looked at");
  if (ways == 1) return {};
  return Fail(Code::kInvalid, "muster stop needs either ids or groups, --group GROUP or --all");
}

// A job that has ended by itself needs no stop: that is reported, and is no failure. One that
// cannot be stopped now, for instance while the disk is full, keeps no other from being stopped.
Status AskToStop(Context& context, Api& api, const Args& args, std::vector<JobId>& ids) {
  json::object body{{"user", UserName()}};
  if (args.Has("group") && !args.Has("grace")) {
    MUSTER_TRY(api.Post(fmt::format("/groups/{}/stop", http::UrlEncode(args.Get("group"))), body));
    return {};
  }
  if (args.Has("grace")) body["grace"] = args.Get("grace");
  if (args.Has("confirm-clean")) body["confirm_clean"] = true;
  std::vector<JobId> stopping;
  Status outcome;
  for (const JobId id : ids) {
    const auto answer = api.Post(fmt::format("/jobs/{}/stop", id), body);
    if (answer) {
      stopping.push_back(id);
    } else if (answer.error().code == Code::kConflict && !args.Has("confirm-clean")) {
      context.screen.Err(fmt::format("muster: {}\n", answer.error().text));
    } else if (ServerIsAway(answer.error())) {
      return std::unexpected(answer.error());
    } else if (outcome) {
      outcome = std::unexpected(answer.error());
    }
  }
  ids = std::move(stopping);
  return outcome;
}

Result<int> WaitUntilStopped(Context& context, Api& api, const Args& args,
                             const std::vector<JobId>& ids) {
  Interrupts interrupts;
  json::array stopped;
  const auto each = [&](const JobView& job) {
    if (args.Has("json")) {
      stopped.push_back(
          json::object{{"id", job.id}, {"state", job.state}, {"proof", ProofJson(job)}});
    } else {
      context.screen.Out(fmt::format("{}\n{}", Headline(job), ProofText(job, 2)));
    }
  };
  MUSTER_ASSIGN(const WaitResult result,
                WaitForJobs(api, context.clock, interrupts, ids, {.timeout_ms = {}, .each = each}));
  if (args.Has("json")) context.screen.Out(ToPrettyJson(json::object{{"jobs", stopped}}));
  if (!result.interrupted) return 0;
  context.screen.Err("muster: not waiting any longer; the jobs are being stopped all the same\n");
  return 130;
}

Result<int> Run(Context& context, const Args& args) {
  MUSTER_TRY(CheckChoice(args));
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  MUSTER_ASSIGN(std::vector<JobId> ids, Chosen(*api, args));
  if (ids.empty()) context.screen.Err("muster: nothing to stop\n");
  MUSTER_TRY(AskToStop(context, *api, args, ids));
  if (!args.Has("no-wait")) return WaitUntilStopped(context, *api, args, ids);
  if (args.Has("json")) {
    context.screen.Out(
        ToPrettyJson(json::object{{"stopping", json::array(ids.begin(), ids.end())}}));
    return 0;
  }
  for (const JobId id : ids) context.screen.Out(fmt::format("job {} is being stopped\n", id));
  return 0;
}

}  // namespace

Verb StopVerb() {
  return {.name = "stop",
          .aliases = {"cancel", "kill"},
          .summary = "Stop jobs and wait until nothing of them is left",
          .words = "ID|GROUP...",
          .most_words = -1,
          .completes = Completes::kUnfinishedJob,
          .flags = {{"group", 'G', "GROUP", "all jobs of a sweep"},
                    {"all", 'a', nullptr, "all jobs that are not over"},
                    {"grace", 0, "TIME", "between TERM and KILL, such as 10s"},
                    {"confirm-clean", 0, nullptr,
                     "you have looked: nothing of the job is left on its unproven nodes"},
                    {"no-wait", 0, nullptr, "do not wait until they are gone"}},
          .examples = {{"muster stop 17", "TERM, grace, KILL, then proof that nothing is left"},
                       {"muster stop sweep-3", "every job of a sweep"}},
          .run = Run};
}

}  // namespace muster::cli
