#include "cli/completion.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/object_verbs.h"
#include "cli/verbs.h"
#include "dialect/plan.h"
#include "model/states.h"

namespace muster::cli {
namespace {

// Kinds whose words the server knows, the command that prints them, and the name of the function
// that offers them in zsh.
struct Asked {
  Completes kind;
  const char* command;
  const char* function;
};
constexpr std::array<Asked, 5> kAsked{{
    {Completes::kJob, "muster ps --ids --no-start 2>/dev/null", "_muster_jobs"},
    {Completes::kQueuedJob, "muster ps --ids --state queued --no-start 2>/dev/null",
     "_muster_queued_jobs"},
    {Completes::kUnfinishedJob,
     "muster ps --ids --state queued,starting,running,stopping --no-start 2>/dev/null",
     "_muster_unfinished_jobs"},
    {Completes::kEndedJob,
     "muster ps --ids --state succeeded,failed,stopped --limit 100 --no-start 2>/dev/null",
     "_muster_ended_jobs"},
    {Completes::kGroup, "muster ps --groups --no-start 2>/dev/null", "_muster_groups"},
}};

const Asked* FindAsked(Completes kind) {
  const auto row = std::ranges::find(kAsked, kind, &Asked::kind);
  return row == kAsked.end() ? nullptr : &*row;
}

std::string VerbNames(std::string_view separator) {
  std::vector<std::string> names;
  for (const Verb& verb : Verbs()) {
    names.emplace_back(verb.name);
    for (const char* alias : verb.aliases) names.emplace_back(alias);
  }
  return Join(names, separator);
}

// The fixed words of a kind; empty for files, folders and jobs, which the shell completes itself.
std::string FixedWords(Completes kind) {
  std::vector<std::string> words;
  if (kind == Completes::kShell) words = {"bash", "zsh", "fish"};
  if (kind == Completes::kVerb) return VerbNames(" ");
  if (kind == Completes::kWorkdir) words = {"node", "rank", "job"};
  if (kind == Completes::kSchema) words = {"job", "server"};
  if (kind == Completes::kPlatform) words.assign(kPlatforms.begin(), kPlatforms.end());
  if (kind == Completes::kObjectVerb)
    for (const std::string_view word : ObjectVerbNames()) words.emplace_back(word);
  if (kind == Completes::kFramework)
    for (const auto& framework : dialect::Frameworks()) words.emplace_back(framework.name);
  if (kind == Completes::kState)
    for (int i = 0; i < kStateCount; ++i) words.emplace_back(Name(State(i)));
  return Join(words, " ");
}

std::string CasePattern(const Verb& verb) {
  std::string pattern = verb.name;
  for (const char* alias : verb.aliases) pattern += fmt::format("|{}", alias);
  return pattern;
}

std::string FlagPattern(const Flag& flag) {
  return flag.letter ? fmt::format("--{}|-{}", flag.name, flag.letter)
                     : fmt::format("--{}", flag.name);
}

// ---- bash

std::string BashReply(Completes kind) {
  if (const Asked* asked = FindAsked(kind))
    return fmt::format("COMPREPLY=($(compgen -W \"$({})\" -- \"$cur\"))", asked->command);
  switch (kind) {
    case Completes::kNothing:
      return ":";
    case Completes::kFile:
      return "COMPREPLY=($(compgen -f -- \"$cur\"))";
    case Completes::kFolder:
      return "COMPREPLY=($(compgen -d -- \"$cur\"))";
    default:
      return fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))", FixedWords(kind));
  }
}

std::string BashVerb(const Verb& verb) {
  std::string values, names;
  for (const Flag& flag : AllFlags(verb)) {
    names += fmt::format("--{} ", flag.name);
    if (flag.value)
      values +=
          fmt::format("        {}) {}; return ;;\n", FlagPattern(flag), BashReply(flag.completes));
  }
  return fmt::format(
      "    {})\n"
      "      case \"$prev\" in\n{}      esac\n"
      "      if [[ \"$cur\" == -* ]]; then\n"
      "        COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))\n"
      "      else\n        {}\n      fi ;;\n",
      CasePattern(verb), values, Trim(names), BashReply(verb.completes));
}

std::string BashScript() {
  std::string cases;
  for (const Verb& verb : Verbs()) cases += BashVerb(verb);
  return fmt::format(
      "# bash completion of muster; put it where your bash looks, or: source <(muster completion "
      "bash)\n"
      "_muster() {{\n"
      "  local cur=\"${{COMP_WORDS[COMP_CWORD]}}\" prev=\"${{COMP_WORDS[COMP_CWORD-1]}}\" word\n"
      "  COMPREPLY=()\n"
      "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
      "    [[ \"$word\" == -- ]] && {{ COMPREPLY=($(compgen -f -- \"$cur\")); return; }}\n"
      "  done\n"
      "  if (( COMP_CWORD == 1 )); then\n"
      "    COMPREPLY=($(compgen -W \"{} --version --help\" -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "}}\n"
      "complete -o filenames -o bashdefault -F _muster muster\n",
      VerbNames(" "), cases);
}

// ---- zsh

std::string ZshText(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '\'') {
      made += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      made += '\\';
      made += c;
    } else {
      made += c;
    }
  }
  return made;
}

std::string ZshAction(Completes kind) {
  if (const Asked* asked = FindAsked(kind)) return asked->function;
  switch (kind) {
    case Completes::kNothing:
      return " ";
    case Completes::kFile:
      return "_files";
    case Completes::kFolder:
      return "_files -/";
    default:
      return fmt::format("({})", FixedWords(kind));
  }
}

std::string ZshFlag(const Flag& flag) {
  const std::string value =
      flag.value ? fmt::format(":{}:{}", ZshText(flag.value), ZshAction(flag.completes)) : "";
  const std::string help = ZshText(flag.help);
  const char* many = flag.repeated ? "*" : "";
  std::string line = fmt::format("        '{}--{}[{}]{}' \\\n", many, flag.name, help, value);
  if (flag.letter)
    line += fmt::format("        '{}-{}[{}]{}' \\\n", many, flag.letter, help, value);
  return line;
}

std::string ZshScript() {
  std::string verbs, cases;
  for (const Verb& verb : Verbs()) {
    verbs += fmt::format("    '{}:{}'\n", verb.name, ZshText(verb.summary));
    for (const char* alias : verb.aliases)
      verbs += fmt::format("    '{}:{}'\n", alias, ZshText(verb.summary));
    std::string flags;
    for (const Flag& flag : AllFlags(verb)) flags += ZshFlag(flag);
    cases += fmt::format("      {})\n      _arguments -s \\\n{}        '*:word:{}' ;;\n",
                         CasePattern(verb), flags, ZshAction(verb.completes));
  }
  std::string functions;
  for (const Asked& asked : kAsked)
    functions +=
        fmt::format("{}() {{ local -a found; found=(${{(f)\"$({})\"}}); compadd -a found }}\n",
                    asked.function, asked.command);
  return fmt::format(
      "#compdef muster\n"
      "# zsh completion of muster; save it as _muster in a folder of your $fpath\n"
      "{}"
      "_muster() {{\n"
      "  local -a verbs\n"
      "  verbs=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  shift words; (( CURRENT-- ))\n"
      "  case $verb in\n{}  esac\n"
      "}}\n"
      "if [[ \"$funcstack[1]\" == _muster ]]; then _muster \"$@\"; else compdef _muster muster; "
      "fi\n",
      functions, verbs, cases);
}

// ---- fish

std::string FishText(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '\'' || c == '\\') made += '\\';
    made += c;
  }
  return made;
}

// The words that fish offers; empty for files or nothing.
std::string FishWords(Completes kind) {
  if (const Asked* asked = FindAsked(kind)) return fmt::format("-a '({})'", asked->command);
  switch (kind) {
    case Completes::kNothing:
    case Completes::kFile:
      return "";
    case Completes::kFolder:
      return "-a '(__fish_complete_directories)'";
    default:
      return fmt::format("-a '{}'", FixedWords(kind));
  }
}

std::string FishValue(const Flag& flag) {
  if (!flag.value) return "";
  return flag.completes == Completes::kFile ? " -r -F" : " -x " + FishWords(flag.completes);
}

std::string FishVerb(const Verb& verb) {
  std::string names = verb.name;
  for (const char* alias : verb.aliases) names += fmt::format(" {}", alias);
  const std::string in_verb = fmt::format("-n '__fish_seen_subcommand_from {}'", names);
  std::string text;
  for (const std::string& name : Split(names, ' '))
    text += fmt::format("complete -c muster -f -n __fish_use_subcommand -a {} -d '{}'\n", name,
                        FishText(verb.summary));
  if (verb.completes == Completes::kFile) {
    text += fmt::format("complete -c muster {} -F\n", in_verb);
  } else if (verb.completes != Completes::kNothing) {
    text += fmt::format("complete -c muster -f {} {}\n", in_verb, FishWords(verb.completes));
  }
  for (const Flag& flag : AllFlags(verb))
    text += fmt::format("complete -c muster {} -l {}{} -d '{}'{}\n", in_verb, flag.name,
                        flag.letter ? fmt::format(" -s {}", flag.letter) : "", FishText(flag.help),
                        FishValue(flag));
  return text;
}

std::string FishScript() {
  std::string text =
      "# fish completion of muster; save it as ~/.config/fish/completions/muster.fish\n"
      "complete -c muster -f\n";
  for (const Verb& verb : Verbs()) text += FishVerb(verb);
  return text;
}

}  // namespace

Result<std::string> CompletionScript(std::string_view shell) {
  if (shell == "bash") return BashScript();
  if (shell == "zsh") return ZshScript();
  if (shell == "fish") return FishScript();
  return Fail(Code::kInvalid, fmt::format("found the shell {}, expected bash, zsh or fish",
                                          ShellQuote(Printable(shell))));
}

}  // namespace muster::cli
