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

}  // namespace muster::cli
