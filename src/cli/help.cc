#include "cli/help.h"

#include <fmt/format.h>

#include "cli/table.h"

namespace muster::cli {
namespace {

std::string FlagText(const Flag& flag) {
  std::string text = flag.letter ? fmt::format("-{}, ", flag.letter) : "    ";
  text += fmt::format("--{}", flag.name);
  if (flag.value) text += fmt::format(" {}", flag.value);
  return text;
}

std::string FlagLines(const Screen& screen, std::span<const Flag> flags) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Flag& flag : flags)
    lines.emplace_back(FlagText(flag),
                       fmt::format("{}{}", flag.help, flag.repeated ? " (repeatable)" : ""));
  return Facts(screen, lines, 2);
}

std::string ExampleLines(const Screen& screen, const Verb& verb) {
  std::string text;
  for (const Example& example : verb.examples)
    text +=
        fmt::format("  {}\n  {}\n", screen.Painted(Paint::kDim, fmt::format("# {}", example.what)),
                    example.command);
  return text;
}

}  // namespace

std::string OverviewText(const Screen& screen) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Verb& verb : Verbs()) {
    std::string names = verb.name;
    for (const char* alias : verb.aliases) names += fmt::format(", {}", alias);
    lines.emplace_back(names, verb.summary);
  }
  return fmt::format(
      "Muster runs training jobs: from a script and \"2 nodes x 8 devices\" to logs, numbers and "
      "results.\n\n"
      "usage: muster VERB [FLAGS]\n\n{}\n"
      "Begin with: muster run -- echo hello\n"
      "More on one verb: muster VERB --help\n",
      Facts(screen, lines, 2));
}

std::string HelpText(const Screen& screen, const Verb& verb) {
  std::string text =
      fmt::format("{}\n\nusage: muster {}{}{} [FLAGS]{}\n", verb.summary, verb.name,
                  *verb.words ? " " : "", verb.words, verb.takes_command ? " [-- COMMAND...]" : "");
  if (!verb.aliases.empty()) {
    text += "also:  ";
    for (const char* alias : verb.aliases) text += fmt::format("muster {}  ", alias);
    text.resize(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  if (!verb.flags.empty()) text += fmt::format("\nflags\n{}", FlagLines(screen, verb.flags));
  const std::vector<Flag> all = AllFlags(verb);
  text += fmt::format("\nflags of every verb\n{}",
                      FlagLines(screen, std::span(all).subspan(verb.flags.size())));
  if (!verb.examples.empty()) text += fmt::format("\nexamples\n{}", ExampleLines(screen, verb));
  return text;
}

json::object OverviewJson() {
  json::array verbs;
  for (const Verb& verb : Verbs())
    verbs.push_back(json::object{{"name", verb.name}, {"summary", verb.summary}});
  return {{"verbs", std::move(verbs)}};
}

json::object HelpJson(const Verb& verb) {
  json::array aliases, flags, examples;
  for (const char* alias : verb.aliases) aliases.emplace_back(alias);
  for (const Flag& flag : AllFlags(verb))
    flags.push_back(json::object{{"name", flag.name},
                                 {"letter", flag.letter ? std::string(1, flag.letter) : ""},
                                 {"value", flag.value ? flag.value : ""},
                                 {"help", flag.help}});
  for (const Example& example : verb.examples)
    examples.push_back(json::object{{"command", example.command}, {"what", example.what}});
  return {{"name", verb.name},         {"aliases", std::move(aliases)},
          {"summary", verb.summary},   {"words", verb.words},
          {"flags", std::move(flags)}, {"examples", std::move(examples)}};
}

}  // namespace muster::cli
