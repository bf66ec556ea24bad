#include <fmt/format.h>

#include "cli/help.h"
#include "cli/man_page.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

Result<int> Run(Context& context, const Args& args) {
  const bool man = args.Has("man");
  if (args.words.empty()) {
    context.screen.Out(man ? ManPageOfMuster() : OverviewText(context.screen));
    return 0;
  }
  const Verb* verb = FindVerb(args.words[0]);
  if (!verb)
    return Fail(Code::kInvalid, fmt::format("there is no verb {}", args.words[0]),
                "muster help lists the verbs");
  context.screen.Out(man ? ManPageOf(*verb) : HelpText(context.screen, *verb));
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
          .flags = {{"man", 0, nullptr, "print the manual page, for man(1)"}},
          .examples = {{"muster help run", "the flags of run, with examples"},
                       {"muster help --man run | man -l -", "its manual page"}},
          .run = Run};
}

}  // namespace muster::cli
