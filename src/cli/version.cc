#include <fmt/format.h>

#include "base/json.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

Result<int> Run(Context& context, const Args& args) {
  const Extras& extras = context.extras;
  if (args.Has("json")) {
    context.screen.Out(ToPrettyJson(json::object{{"name", "muster"},
                                                 {"version", extras.version},
                                                 {"commit", extras.commit},
                                                 {"build_date", extras.build_date}}));
  } else {
    context.screen.Out(fmt::format("muster {} (commit {}, built {})\n", extras.version,
                                   extras.commit, extras.build_date));
  }
  return 0;
}

}  // namespace

Verb VersionVerb() {
  return {.name = "version",
          .aliases = {},
          .summary = "Print the version, the commit and the day of the build",
          .examples = {{"muster --version", "one line"}},
          .run = Run};
}

}  // namespace muster::cli
