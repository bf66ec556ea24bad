#include <fmt/format.h>

#include "cli/connect.h"
#include "cli/job_list.h"
#include "cli/job_view.h"
#include "cli/submit.h"
#include "cli/verbs.h"
#include "cli/watch.h"

namespace muster::cli {
namespace {

Result<int> Run(Context& context, const Args& args) {
  MUSTER_ASSIGN(const JobId id, ParseJobId(args.words[0]));
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  MUSTER_ASSIGN(const json::object job, GetJob(*api, id));
  const json::object body{{"user", UserName()}};
  MUSTER_ASSIGN(const Submitted submitted,
                SubmitOnce(*api, fmt::format("/jobs/{}/rerun", id), body));
  return AfterSubmit(context, *api, args, submitted, ReadJob(job).Ranks());
}

}  // namespace

Verb RerunVerb() {
  return {.name = "rerun",
          .aliases = {},
          .summary = "Submit a job again, with the same file and the same code",
          .words = "ID",
          .least_words = 1,
          .most_words = 1,
          .completes = Completes::kJob,
          .flags = {{"detach", 'd', nullptr, "print the id and leave; the job goes on"}},
          .examples = {{"muster rerun 17", "as a new job, watched like run"}},
          .run = Run};
}

}  // namespace muster::cli
