#include "base/json.h"
#include "cli/verbs.h"
#include "model/spec_reader.h"

namespace muster::cli {
namespace {

Result<int> Run(Context& context, const Args&) {
  context.screen.Out(ToPrettyJson(JobFileSchema()));
  return 0;
}

}  // namespace

Verb SchemaVerb() {
  return {.name = "schema",
          .aliases = {},
          .summary = "Print the JSON Schema of the job file, for editors",
          .examples = {{"muster schema > job.schema.json", "keep it where your editor looks"}},
          .run = Run};
}

}  // namespace muster::cli
