#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/connect.h"
#include "cli/job_words.h"
#include "cli/submit.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

// Changes every job that the words name; goes on after a job that cannot be changed.
Result<int> UpdateAll(Context& context, const Args& args, json::object body,
                      std::string_view what) {
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  MUSTER_ASSIGN(const std::vector<JobId> ids, FindJobs(*api, args.words));
  body["user"] = UserName();
  int code = 0;
  json::array changed;
  for (const JobId id : ids) {
    const auto answer = api->Post(fmt::format("/jobs/{}/update", id), body);
    if (!answer) {
      code = std::max(code, Report(context.screen, answer.error(), args.Has("json")));
      continue;
    }
    changed.push_back(id);
    if (!args.Has("json")) context.screen.Out(fmt::format("job {} is {}\n", id, what));
  }
  if (args.Has("json")) context.screen.Out(ToPrettyJson(json::object{{"changed", changed}}));
  return code;
}

Result<int> RunUpdate(Context& context, const Args& args) {
  json::object body;
  MUSTER_ASSIGN(const auto priority, args.Int("priority", -1000, 1000));
  if (priority) body["priority"] = *priority;
  if (args.Has("time")) {
    const std::string time = args.Get("time");
    if (const auto parsed = ParseDuration(time); !parsed && time != "none")
      return Fail(Code::kInvalid, "--time: " + parsed.error().text, "give 2h, 90m, or none");
    body["time_limit"] = time;
  }
  if (body.empty())
    return Fail(Code::kInvalid, "muster update needs --priority or --time",
                fmt::format("muster update {} --priority 10", args.words[0]));
  return UpdateAll(context, args, std::move(body), "changed");
}

Result<int> RunHold(Context& context, const Args& args) {
  return UpdateAll(context, args, {{"held", true}}, "held");
}

Result<int> RunRelease(Context& context, const Args& args) {
  return UpdateAll(context, args, {{"held", false}}, "released");
}

}  // namespace

Verb UpdateVerb() {
  return {.name = "update",
          .aliases = {},
          .summary = "Change the priority or the time limit of queued jobs",
          .words = "ID|GROUP...",
          .least_words = 1,
          .most_words = -1,
          .completes = Completes::kJob,
          .flags = {{"priority", 'p', "NUMBER", "higher starts first, from -1000 to 1000"},
                    {"time", 0, "TIME", "new time limit, such as 2h, or none"}},
          .examples = {{"muster update 17 --priority 10", "it starts before jobs of priority 0"},
                       {"muster update sweep-3 --time 2h", "every queued job of a sweep"}},
          .run = RunUpdate};
}

Verb HoldVerb() {
  return {.name = "hold",
          .aliases = {},
          .summary = "Keep queued jobs from starting",
          .words = "ID|GROUP...",
          .least_words = 1,
          .most_words = -1,
          .completes = Completes::kJob,
          .examples = {{"muster hold 17", "until 'muster release 17'"}},
          .run = RunHold};
}

Verb ReleaseVerb() {
  return {.name = "release",
          .aliases = {},
          .summary = "Let held jobs start",
          .words = "ID|GROUP...",
          .least_words = 1,
          .most_words = -1,
          .completes = Completes::kJob,
          .examples = {{"muster release 17", "it takes its place in the queue"}},
          .run = RunRelease};
}

}  // namespace muster::cli
