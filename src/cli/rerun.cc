#include <fmt/format.h>

#include "base/text.h"
#include "cli/connect.h"
#include "cli/job_list.h"
#include "cli/job_view.h"
#include "cli/job_words.h"
#include "cli/submit.h"
#include "cli/verbs.h"
#include "cli/watch.h"

namespace muster::cli {
namespace {

// Words with an equals sign are parameters, the others name jobs.
Result<json::object> TakeParameters(std::vector<std::string>& words) {
  json::object parameters;
  std::vector<std::string> jobs;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == word.npos) {
      jobs.push_back(word);
    } else if (equals == 0 ||
               !parameters.emplace(word.substr(0, equals), word.substr(equals + 1)).second) {
      return Fail(Code::kInvalid, fmt::format("found {}, expected a parameter once, such as lr=0.1",
                                              ShellQuote(Printable(word))));
    }
  }
  if (jobs.empty())
    return Fail(Code::kInvalid, "muster rerun needs the id of a job", "muster rerun 17 lr=0.1");
  words = std::move(jobs);
  return parameters;
}

// Several jobs are submitted without watching them.
Result<int> RerunAll(Context& context, Api& api, const std::vector<JobId>& ids,
                     const json::object& body, bool as_json) {
  json::array jobs;
  for (const JobId id : ids) {
    MUSTER_ASSIGN(const Submitted submitted,
                  SubmitOnce(api, fmt::format("/jobs/{}/rerun", id), body));
    const JobId made = submitted.jobs.front().first;
    jobs.push_back(json::object{{"id", made}, {"derived_from", id}});
    if (!as_json) context.screen.Out(fmt::format("{}\n", made));
  }
  if (as_json) context.screen.Out(ToPrettyJson(json::object{{"jobs", jobs}}));
  return 0;
}

Result<int> Run(Context& context, const Args& args) {
  std::vector<std::string> words = args.words;
  MUSTER_ASSIGN(const json::object parameters, TakeParameters(words));
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  MUSTER_ASSIGN(const std::vector<JobId> ids, FindJobs(*api, words));
  json::object body{{"user", UserName()}};
  if (!parameters.empty()) body["parameters"] = parameters;
  if (ids.size() > 1) return RerunAll(context, *api, ids, body, args.Has("json"));
  MUSTER_ASSIGN(const json::object job, GetJob(*api, ids.front()));
  MUSTER_ASSIGN(const Submitted submitted,
                SubmitOnce(*api, fmt::format("/jobs/{}/rerun", ids.front()), body));
  return AfterSubmit(context, *api, args, submitted, ReadJob(job).Ranks());
}

}  // namespace

Verb RerunVerb() {
  return {.name = "rerun",
          .aliases = {},
          .summary = "Submit jobs again, with the same job file and code, or with other parameters",
          .words = "ID|GROUP... [NAME=VALUE...]",
          .least_words = 1,
          .most_words = -1,
          .completes = Completes::kJob,
          .flags = {{"detach", 'd', nullptr, "print the id and return; the job continues"}},
          .examples = {{"muster rerun 17", "as a new job, watched like run"},
                       {"muster rerun 17 lr=0.1", "with another value of one parameter"},
                       {"muster rerun sweep-3", "every job of a sweep; prints the new ids"}},
          .run = Run};
}

}  // namespace muster::cli
