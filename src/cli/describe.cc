#include <fmt/format.h>

#include "base/text.h"
#include "cli/compare.h"
#include "cli/connect.h"
#include "cli/ending.h"
#include "cli/job_list.h"
#include "cli/job_page.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

constexpr int kLastLines = 10;

Result<int> DescribeGroup(Context& context, Api& api, const std::string& group, bool as_json) {
  JobQuery query;
  query.group = group;
  MUSTER_ASSIGN(const auto rows, ListJobs(api, query, 10'000));
  if (rows.empty())
    return Fail(Code::kNotFound, fmt::format("there is no group {}", ShellQuote(Printable(group))),
                "muster ps -a lists jobs with their groups");
  std::vector<JobView> jobs;
  json::array raw;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    MUSTER_ASSIGN(json::object job, GetJob(api, GetInt(*row, "id")));
    jobs.push_back(ReadJob(job));
    raw.push_back(std::move(job));
  }
  context.screen.Out(as_json ? ToPrettyJson(json::object{{"group", group}, {"jobs", raw}})
                             : CompareText(context.screen, group, jobs));
  return 0;
}

Result<int> Run(Context& context, const Args& args) {
  const bool as_json = args.Has("json");
  const auto id = ParseJobId(args.words[0]);
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  if (!id) return DescribeGroup(context, *api, args.words[0], as_json);
  MUSTER_ASSIGN(const json::object job, GetJob(*api, *id));
  if (as_json) {
    context.screen.Out(ToPrettyJson(job));
    return 0;
  }
  const JobView view = ReadJob(job);
  context.screen.Out(
      JobPage(context.screen, view, FailingLines(*api, view, kLastLines), context.clock.WallMs()));
  return 0;
}

}  // namespace

Verb DescribeVerb() {
  return {.name = "describe",
          .aliases = {},
          .summary = "Tell everything about one job, or compare the jobs of a sweep",
          .words = "ID|GROUP",
          .least_words = 1,
          .most_words = 1,
          .completes = Completes::kJob,
          .examples = {{"muster describe 17", "how it stands, attempts, ranks, folders"},
                       {"muster describe sweep-3", "the values of a sweep side by side"}},
          .run = Run};
}

}  // namespace muster::cli
