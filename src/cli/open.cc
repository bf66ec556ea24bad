#include <fmt/format.h>

#include "cli/connect.h"
#include "cli/job_list.h"
#include "cli/job_view.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

Result<int> Run(Context& context, const Args& args) {
  std::string path = "/";
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  if (!args.words.empty()) {
    MUSTER_ASSIGN(const JobId id, ParseJobId(args.words[0]));
    MUSTER_TRY(GetJob(*api, id));
    path = fmt::format("/jobs/{}", id);
  }
  MUSTER_ASSIGN(const json::object link, api->Post("/console/links", json::object{{"path", path}}));
  const std::string url = api->url() + std::string(GetString(link, "path"));
  if (args.Has("json")) {
    context.screen.Out(
        ToPrettyJson(json::object{{"url", url}, {"valid_ms", GetInt(link, "valid_ms")}}));
  } else {
    context.screen.Out(fmt::format("{}\n", url));
    context.screen.Err(fmt::format("The link signs in once, within {} minutes.\n",
                                   GetInt(link, "valid_ms") / 60'000));
  }
  return 0;
}

}  // namespace

Verb OpenVerb() {
  return {.name = "open",
          .aliases = {"console"},
          .summary = "Print a link that opens the web console, or one job in it",
          .words = "[ID]",
          .most_words = 1,
          .completes = Completes::kJob,
          .examples = {{"muster open", "open the link in a browser on this machine"},
                       {"muster open 17", "the page of job 17"}},
          .run = Run};
}

}  // namespace muster::cli
