#include "cli/man_page.h"

#include <fmt/format.h>

#include "base/text.h"

namespace muster::cli {
namespace {

// One character of UTF-8 at `at` in the notation of troff, whose input is ASCII; `at` moves behind
// it.
std::string Character(std::string_view text, size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) {
    if (lead == '\\') return "\\e";
    if (lead == '-') return "\\-";
    return std::string(1, char(lead)) + (lead == '\n' ? "\\&" : "");
  }
  uint32_t code = lead >= 0xf0 ? lead & 0x07 : lead >= 0xe0 ? lead & 0x0f : lead & 0x1f;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80)
    code = code << 6 | (static_cast<unsigned char>(text[at++]) & 0x3f);
  return fmt::format("\\[u{:04X}]", code);
}

// Text that troff prints as it is: no escapes, and no requests at the begin of a line.
std::string Plain(std::string_view text) {
  std::string plain = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (size_t at = 0; at < text.size();) plain += Character(text, at);
  return plain;
}

std::string Title(std::string_view name) {
  std::string upper(name);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = char(c - 'a' + 'A');
  return fmt::format(".TH {} 1 \"\" \"Muster\" \"Muster Manual\"\n", Plain(upper));
}

std::string Item(std::string_view head, std::string_view text) {
  return fmt::format(".TP\n.B {}\n{}\n", Plain(head), Plain(text));
}

std::string FlagItems(std::span<const Flag> flags) {
  std::string text;
  for (const Flag& flag : flags) {
    std::string head = flag.letter ? fmt::format("-{}, ", flag.letter) : "";
    head += fmt::format("--{}", flag.name);
    if (flag.value) head += fmt::format(" {}", flag.value);
    text += Item(head, fmt::format("{}{}", flag.help, flag.repeated ? " (repeatable)" : ""));
  }
  return text;
}

std::string SeeAlso(std::string_view but_not) {
  std::vector<std::string> pages;
  for (const Verb& verb : Verbs())
    if (verb.name != but_not) pages.push_back(fmt::format(".BR muster\\-{} (1)", verb.name));
  if (!but_not.empty()) pages.insert(pages.begin(), ".BR muster (1)");
  return ".SH SEE ALSO\n" + Join(pages, " ,\n") + "\n";
}

}  // namespace

std::string ManPageOfMuster() {
  std::string text = Title("muster");
  text +=
      ".SH NAME\nmuster \\- run training jobs\n"
      ".SH SYNOPSIS\n.B muster\n.I VERB\n[\\fIFLAGS\\fR] [\\fB\\-\\-\\fR \\fICOMMAND\\fR...]\n"
      ".SH DESCRIPTION\nMuster runs training jobs: from a script and \"2 nodes x 8 devices\" to "
      "logs, numbers and results. A server keeps the jobs; a verb that needs one starts it.\n"
      ".SH VERBS\n";
  for (const Verb& verb : Verbs()) text += Item(verb.name, verb.summary);
  text += ".SH FLAGS OF EVERY VERB\n" + FlagItems(CommonFlags());
  text += ".SH ENVIRONMENT\n";
  text += Item("MUSTER_SERVER, MUSTER_TOKEN", "the server to use, and its token");
  text += Item("MUSTER_DATA", "the data directory of the server on this machine");
  return text + SeeAlso("");
}

std::string ManPageOf(const Verb& verb) {
  const std::string name = fmt::format("muster-{}", verb.name);
  std::string text = Title(name);
  text += fmt::format(".SH NAME\n{} \\- {}\n", Plain(name), Plain(verb.summary));
  text += fmt::format(".SH SYNOPSIS\n.B muster {}\n{}\n", Plain(verb.name),
                      Plain(fmt::format("{}{}[FLAGS]{}", verb.words, *verb.words ? " " : "",
                                        verb.takes_command ? " [-- COMMAND...]" : "")));
  if (!verb.aliases.empty()) {
    text += ".SH ALIASES\n";
    for (const char* alias : verb.aliases) text += fmt::format(".B muster {}\n", Plain(alias));
  }
  if (!verb.flags.empty()) text += ".SH FLAGS\n" + FlagItems(verb.flags);
  text += ".SH FLAGS OF EVERY VERB\n" + FlagItems(CommonFlags());
  if (!verb.examples.empty()) text += ".SH EXAMPLES\n";
  for (const Example& example : verb.examples)
    text += fmt::format(".TP\n{}\n.B {}\n", Plain(example.what), Plain(example.command));
  return text + SeeAlso(verb.name);
}

}  // namespace muster::cli
