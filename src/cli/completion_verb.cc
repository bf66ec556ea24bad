#include "base/json.h"
#include "cli/completion.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

Result<int> Run(Context& context, const Args& args) {
  MUSTER_ASSIGN(const std::string script, CompletionScript(args.words[0]));
  context.screen.Out(args.Has("json") ? ToPrettyJson(json::object{{"script", script}}) : script);
  return 0;
}

}  // namespace

Verb CompletionVerb() {
  return {.name = "completion",
          .aliases = {},
          .summary = "Print the script that completes verbs, flags and job ids in your shell",
          .words = "bash|zsh|fish",
          .least_words = 1,
          .most_words = 1,
          .completes = Completes::kShell,
          .examples = {{"source <(muster completion bash)", "for this bash"},
                       {"muster completion fish > ~/.config/fish/completions/muster.fish",
                        "for every fish to come"}},
          .run = Run};
}

}  // namespace muster::cli
