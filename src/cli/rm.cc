#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/connect.h"
#include "cli/job_list.h"
#include "cli/job_view.h"
#include "cli/job_words.h"
#include "cli/verbs.h"
#include "cli/when.h"

namespace muster::cli {
namespace {

constexpr int64_t kMostJobs = 1'000'000;

Status CheckChoice(const Args& args) {
  const bool by_rule = args.Has("state") || args.Has("older-than");
  if (by_rule != args.words.empty())
    return Fail(Code::kInvalid,
                "muster rm takes either ids and groups, or --state and --older-than",
                "muster rm 17 18, or muster rm --state failed --older-than 7d");
  return {};
}

Status CheckStates(const std::string& states) {
  for (const std::string& state : Split(states, ','))
    if (state != "succeeded" && state != "failed" && state != "stopped")
      return Fail(Code::kInvalid,
                  fmt::format("--state: found {}, expected succeeded, failed or stopped",
                              ShellQuote(Printable(state))),
                  "only jobs that are over can be removed");
  return {};
}

// The ended jobs with one of these states that ended before a time, oldest first.
Result<std::vector<JobId>> FindByRule(Context& context, Api& api, const Args& args) {
  JobQuery query;
  query.states = args.Get("state", kEnded);
  MUSTER_TRY(CheckStates(query.states));
  int64_t before_ms = INT64_MAX;
  if (args.Has("older-than")) {
    const auto age = ParseDuration(args.Get("older-than"));
    if (!age) return Fail(Code::kInvalid, "--older-than: " + age.error().text, "such as 7d or 12h");
    before_ms = context.clock.WallMs() - *age;
  }
  MUSTER_ASSIGN(const auto rows, ListJobs(api, query, kMostJobs));
  std::vector<JobId> ids;
  for (const json::object& row : rows)
    if (GetInt(row, "ended_ms") < before_ms) ids.push_back(GetInt(row, "id"));
  std::ranges::reverse(ids);
  return ids;
}

// Goes on after a job that cannot be removed, so that one such id does not keep the rest.
Result<int> Run(Context& context, const Args& args) {
  MUSTER_TRY(CheckChoice(args));
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  MUSTER_ASSIGN(const std::vector<JobId> ids,
                args.words.empty() ? FindByRule(context, *api, args) : FindJobs(*api, args.words));
  const bool as_json = args.Has("json"), dry = args.Has("dry-run");
  if (ids.empty() && !as_json) context.screen.Err("muster: no job matches\n");
  int code = 0;
  json::array removed;
  for (const JobId id : ids) {
    Status status = dry ? Status() : api->Delete(fmt::format("/jobs/{}", id));
    if (status) {
      removed.push_back(id);
      if (!as_json)
        context.screen.Out(fmt::format("{} job {}\n", dry ? "would remove" : "removed", id));
      continue;
    }
    if (status.error().code == Code::kConflict && status.error().next.empty())
      status.error().next = fmt::format("muster stop {}", id);
    code = std::max(code, Report(context.screen, status.error(), as_json));
  }
  if (as_json)
    context.screen.Out(ToPrettyJson(json::object{{dry ? "would_remove" : "removed", removed}}));
  return code;
}

}  // namespace

Verb RmVerb() {
  return {.name = "rm",
          .aliases = {},
          .summary = "Remove ended jobs with their logs and outputs",
          .words = "ID|GROUP...",
          .most_words = -1,
          .completes = Completes::kEndedJob,
          .flags = {{"state", 's', "STATES", "all jobs with these states: succeeded,failed,stopped",
                     false, Completes::kState},
                    {"older-than", 0, "TIME", "only jobs that ended longer ago, such as 7d"},
                    {"dry-run", 0, nullptr, "only list the jobs that would be removed"}},
          .examples = {{"muster rm 17 18", "their folders are removed as well"},
                       {"muster rm sweep-3", "every job of a sweep"},
                       {"muster rm --state failed,stopped --older-than 7d", "by state and age"}},
          .run = Run};
}

}  // namespace muster::cli
