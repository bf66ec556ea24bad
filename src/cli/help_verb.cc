#include <fmt/format.h>

#include "cli/help.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

Result<int> Run(Context& context, const Args& args) {
  if (args.words.empty()) {
    context.screen.Out(args.Has("json") ? ToPrettyJson(OverviewJson())
                                        : OverviewText(context.screen));
    return 0;
  }
  const Verb* verb = FindVerb(args.words[0]);
  if (!verb)
    return Fail(Code::kInvalid, fmt::format("there is no verb {}", args.words[0]),
                "muster help lists the verbs");
  context.screen.Out(args.Has("json") ? ToPrettyJson(HelpJson(*verb))
                                      : HelpText(context.screen, *verb));
  return 0;
}

}  // namespace

Verb HelpVerb() {
  return {.name = "help",
          .aliases = {},
          .summary = "Explain the verbs, or one of them",
          .words = "[VERB]",
          .most_words = 1,
          .completes = Completes::kVerb,
          .examples = {{"muster help run", "the flags of run, with examples"}},
          .run = Run};
}

}  // namespace muster::cli
