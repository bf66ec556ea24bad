#include <fmt/format.h>

#include "cli/connect.h"
#include "cli/job_view.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

// Goes on after a job that cannot be removed, so that one stubborn id does not keep the rest.
Result<int> Run(Context& context, const Args& args) {
  MUSTER_ASSIGN(const std::vector<JobId> ids, ParseJobIds(args.words));
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  int code = 0;
  json::array removed;
  for (const JobId id : ids) {
    Status status = api->Delete(fmt::format("/jobs/{}", id));
    if (status) {
      removed.push_back(id);
      if (!args.Has("json")) context.screen.Out(fmt::format("removed job {}\n", id));
      continue;
    }
    if (status.error().code == Code::kConflict && status.error().next.empty())
      status.error().next = fmt::format("muster stop {}", id);
    code = std::max(code, Report(context.screen, status.error(), args.Has("json")));
  }
  if (args.Has("json")) context.screen.Out(ToPrettyJson(json::object{{"removed", removed}}));
  return code;
}

}  // namespace

Verb RmVerb() {
  return {.name = "rm",
          .aliases = {},
          .summary = "Remove ended jobs with their logs and outputs",
          .words = "ID...",
          .least_words = 1,
          .most_words = -1,
          .completes = Completes::kJob,
          .examples = {{"muster rm 17 18", "their folders go with them"}},
          .run = Run};
}

}  // namespace muster::cli
