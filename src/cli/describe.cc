#include <fmt/format.h>

#include "base/text.h"
#include "cli/compare.h"
#include "cli/connect.h"
#include "cli/ending.h"
#include "cli/job_list.h"
#include "cli/job_page.h"
#include "cli/job_words.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

constexpr int kLastLines = 10;

Result<std::vector<json::object>> GetJobs(Api& api, const std::vector<JobId>& ids) {
  std::vector<json::object> jobs;
  for (const JobId id : ids) {
    MUSTER_ASSIGN(json::object job, GetJob(api, id));
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::string PageText(Context& context, Api& api, const json::object& job) {
  const JobView view = ReadJob(job);
  return JobPage(context.screen, view, FailingLines(api, view, kLastLines), context.clock.WallMs());
}

// One group: its jobs side by side.
Result<int> DescribeGroup(Context& context, Api& api, const std::string& group, bool as_json) {
  MUSTER_ASSIGN(const std::vector<JobId> ids, FindJobs(api, {group}));
  MUSTER_ASSIGN(const auto raw, GetJobs(api, ids));
  if (as_json) {
    const json::array jobs(raw.begin(), raw.end());
    context.screen.Out(ToPrettyJson(json::object{{"group", group}, {"jobs", jobs}}));
    return 0;
  }
  std::vector<JobView> jobs;
  for (const json::object& job : raw) jobs.push_back(ReadJob(job));
  context.screen.Out(CompareText(context.screen, group, jobs));
  return 0;
}

Result<int> Run(Context& context, const Args& args) {
  const bool as_json = args.Has("json");
  const bool one = args.words.size() == 1;
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  if (one && IsGroupName(args.words[0]))
    return DescribeGroup(context, *api, args.words[0], as_json);
  MUSTER_ASSIGN(const std::vector<JobId> ids, FindJobs(*api, args.words));
  MUSTER_ASSIGN(const auto jobs, GetJobs(*api, ids));
  if (as_json) {
    const json::array all(jobs.begin(), jobs.end());
    context.screen.Out(one ? ToPrettyJson(jobs.front())
                           : ToPrettyJson(json::object{{"jobs", all}}));
    return 0;
  }
  for (const json::object& job : jobs)
    context.screen.Out((&job == &jobs.front() ? "" : "\n") + PageText(context, *api, job));
  return 0;
}

}  // namespace

Verb DescribeVerb() {
  return {.name = "describe",
          .aliases = {},
          .summary = "Show everything about jobs, or compare the jobs of a sweep",
          .words = "ID|GROUP...",
          .least_words = 1,
          .most_words = -1,
          .completes = Completes::kJob,
          .examples = {{"muster describe 17", "its state, attempts, ranks, folders"},
                       {"muster describe 17 18", "one after the other"},
                       {"muster describe sweep-3", "the values of a sweep side by side"}},
          .run = Run};
}

}  // namespace muster::cli
