#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/verbs.h"
#include "model/spec_reader.h"

namespace muster::cli {
namespace {

Result<int> Run(Context& context, const Args& args) {
  const std::string what = args.words.empty() ? "job" : args.words[0];
  if (what != "job" && what != "server")
    return Fail(Code::kInvalid,
                fmt::format("there is no schema of {}", ShellQuote(Printable(what))),
                "muster schema job, or muster schema server");
  context.screen.Out(
      ToPrettyJson(what == "job" ? JobFileSchema() : context.extras.server_schema()));
  return 0;
}

}  // namespace

Verb SchemaVerb() {
  return {.name = "schema",
          .aliases = {},
          .summary = "Print the JSON Schema of the job file or the server's configuration",
          .words = "[job|server]",
          .most_words = 1,
          .completes = Completes::kSchema,
          .examples = {{"muster schema > job.schema.json", "keep it where your editor looks"},
                       {"muster schema server", "every key of muster server --config FILE"}},
          .run = Run};
}

}  // namespace muster::cli
