#include "cli/cli.h"

#include <signal.h>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/habits.h"
#include "cli/help.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

// "muster --data DIR ps" is "muster ps --data DIR": common flags may precede the verb.
std::vector<std::string> TakeLeadingFlags(std::vector<std::string>& arguments) {
  std::vector<std::string> leading;
  while (!arguments.empty() && arguments.front().starts_with("--")) {
    const std::string_view text = std::string_view(arguments.front()).substr(2);
    const std::string_view name = text.substr(0, text.find('='));
    const auto common = CommonFlags();
    const auto flag =
        std::ranges::find_if(common, [&](const Flag& row) { return name == row.name; });
    if (flag == common.end() || name == "help") break;
    const bool value_follows = flag->value && name.size() == text.size() && arguments.size() > 1;
    for (int i = 0; i < (value_follows ? 2 : 1); ++i) {
      leading.push_back(std::move(arguments.front()));
      arguments.erase(arguments.begin());
    }
  }
  return leading;
}

std::unexpected<Error> UnknownVerb(std::string_view word) {
  std::vector<std::string_view> names;
  for (const Verb& verb : Verbs()) {
    names.push_back(verb.name);
    names.insert(names.end(), verb.aliases.begin(), verb.aliases.end());
  }
  std::string next = HintForVerb(word);
  const std::string_view close = DidYouMean(word, names);
  if (next.empty())
    next = close.empty() ? "muster help lists the verbs"
                         : fmt::format("did you mean muster {}?", close);
  return Fail(Code::kInvalid, fmt::format("unknown verb {}", ShellQuote(Printable(word))), next);
}

Status CheckWords(const Verb& verb, const Args& args) {
  const int count = int(args.words.size());
  if (count < verb.least_words)
    return Fail(Code::kInvalid, fmt::format("muster {} needs {}", verb.name, verb.words));
  if (verb.most_words >= 0 && count > verb.most_words) {
    const std::string extra = ShellQuote(Printable(args.words[size_t(verb.most_words)]));
    return Fail(
        Code::kInvalid, fmt::format("muster {} does not take the argument {}", verb.name, extra),
        verb.takes_command ? "put a command behind --: muster run -- python3 train.py" : "");
  }
  if (args.has_rest && !verb.takes_command)
    return Fail(Code::kInvalid, fmt::format("muster {} takes no command behind --", verb.name));
  return {};
}

Result<int> RunVerbOf(const Verb& verb, Context& context, const Args& args) {
  MUSTER_TRY(CheckWords(verb, args));
  return verb.run(context, args);
}

int Complain(Context& context, Error error, const Verb* verb, bool as_json) {
  if (verb && error.code == Code::kInvalid && error.next.empty())
    error.next = fmt::format("muster {} --help", verb->name);
  return Report(context.screen, error, as_json);
}

// Known before the flags are read, so that their faults are JSON as well.
bool AsksForJson(const std::vector<std::string>& arguments) {
  const auto end = std::ranges::find(arguments, "--");
  return std::find(arguments.begin(), end, "--json") != end;
}

int RunWords(Context& context, std::vector<std::string> arguments) {
  const bool as_json = AsksForJson(arguments);
  std::vector<std::string> leading = TakeLeadingFlags(arguments);
  if (arguments.empty() || arguments.front() == "--help" || arguments.front() == "-h") {
    context.screen.Out(OverviewText(context.screen));
    return 0;
  }
  if (arguments.front() == "--version" || arguments.front() == "-V") arguments.front() = "version";
  const std::string name = arguments.front();
  arguments.erase(arguments.begin());
  const Verb* verb = FindVerb(name);
  if (!verb) return Complain(context, UnknownVerb(name).error(), nullptr, as_json);

  arguments.insert(arguments.begin(), leading.begin(), leading.end());
  context.arguments = arguments;
  const auto args = ParseFlags(AllFlags(*verb), arguments);
  if (!args) return Complain(context, args.error(), verb, as_json);
  if (args->Has("help")) {
    context.screen.Out(as_json ? ToPrettyJson(HelpJson(*verb)) : HelpText(context.screen, *verb));
    return 0;
  }
  const auto code = RunVerbOf(*verb, context, *args);
  return code ? *code : Complain(context, code.error(), verb, args->Has("json"));
}

}  // namespace

int RunCli(int argc, char** argv, const Extras& extras) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  // Internal verbs, which the help omits: an engine starts `launch --order DIR`, and that starts
  // `launch --stage-in DIR` and similar.
  const bool is_order = arguments.size() > 1 && arguments[0] == "launch" &&
                        (arguments[1] == "--order" || arguments[1] == "--stage-in" ||
                         arguments[1] == "--stage-out" || arguments[1] == "--meanwhile");
  const bool is_agent = !arguments.empty() && arguments[0] == "agent";
  if (is_order || is_agent) {
    arguments.erase(arguments.begin());
    return is_order ? extras.launch(std::move(arguments)) : extras.agent(std::move(arguments));
  }
  signal(SIGPIPE, SIG_IGN);  // a closed pipe is detected by the failed write
  const auto screen = ProcessScreen();
  const SystemClock clock;
  Context context{extras, *screen, clock, {}};
  return RunWords(context, std::move(arguments));
}

}  // namespace muster::cli
