// What a platform passes, and the places that it has.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "checkup/rules.h"

namespace muster::checkup {
namespace {

constexpr size_t kMostPaths = 256;
constexpr size_t kLongestPath = 1024;

struct Place {
  const char* folder;
  const char* owner;
  const char* platform;  // of a job file, whose job finds it; null: none
};
constexpr std::array kPlaces{
    Place{"/cache", "ModelArts", "modelarts"},
    Place{"/home/ma-user", "ModelArts", "modelarts"},
    Place{"/home/work", "ModelArts", "modelarts-v1"},
    Place{"/job", "Apulis", "apulis"},
    Place{"/data", "Apulis", "apulis"},
    Place{"/examples", "Apulis' images", nullptr},
    Place{"/usr/local/Ascend", "machines with Ascend devices", nullptr},
};

bool IsIn(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// One path and the line that names it.
struct Mention {
  int line;
  std::string path;
  std::string said;
  bool script = false;  // to be run, looked for from the folder of the script
};

// Expansions, globs and what is not a path at all have no place to look at.
bool IsPlain(std::string_view path) {
  const bool odd = std::ranges::any_of(path, [](char c) { return c >= 0 && c < ' '; });
  return !odd && path.size() > 1 && path.size() <= kLongestPath &&
         path.find_first_of("$`*?[]{}()<>|;&\\\"' ,=%") == std::string_view::npos;
}

// Made by the system, or by the script itself.
bool IsEverywhere(std::string_view path) {
  for (const std::string_view folder : {"/dev", "/proc", "/sys", "/tmp", "/var/tmp", "/run"})
    if (IsIn(path, folder)) return true;
  return false;
}

void AddPath(int line, std::string_view path, const std::string& said,
             std::vector<Mention>& mentions) {
  while (path.size() > 1 && path.ends_with("/")) path.remove_suffix(1);
  if (mentions.size() >= kMostPaths || !path.starts_with("/") || path.starts_with("//")) return;
  if (!IsPlain(path) || IsEverywhere(path)) return;
  mentions.push_back({line, std::string(path), said});
}

bool RunsScripts(std::string_view program) {
  return program.starts_with("python") || program == "bash" || program == "sh" ||
         program == "source" || program == ".";
}

void AddRunScript(const ShellCommand& command, std::vector<Mention>& mentions) {
  if (mentions.size() >= kMostPaths || !RunsScripts(command.Program())) return;
  for (size_t at = command.ProgramAt() + 1; at < command.words.size(); ++at) {
    const std::string& word = command.words[at];
    if (word == "-m" || word == "-c") return;
    if (word.starts_with("-")) continue;
    const bool script = word.ends_with(".py") || word.ends_with(".sh");
    if (script && word[0] != '/' && IsPlain(word))
      mentions.push_back({command.line, word, command.Text(), true});
    return;
  }
}

std::vector<Mention> ShellMentions(std::string_view text) {
  std::vector<Mention> mentions;
  for (const ShellCommand& command : ReadShell(text)) {
    AddRunScript(command, mentions);
    for (const std::string_view word : command.words) {
      // --dir=/a, NAME=/a:/b and >/a name paths too.
      const size_t equals = word.find('=');
      std::string_view value = equals == std::string_view::npos ? word : word.substr(equals + 1);
      value.remove_prefix(std::min(value.find_first_not_of("12>&<"), value.size()));
      for (const std::string& part : Split(value.substr(0, 4 * kLongestPath), ':'))
        AddPath(command.line, part, command.Text(), mentions);
    }
  }
  return mentions;
}

// Strings that begin with a '/'.
std::vector<Mention> PythonMentions(std::string_view text) {
  std::vector<Mention> mentions;
  for (const Statement& statement : ReadPython(text)) {
    const std::string_view code = statement.code;
    size_t at = code.find_first_of("\"'");
    while (at != std::string_view::npos && mentions.size() < kMostPaths) {
      const size_t end = code.find(code[at], at + 1);
      if (end == std::string_view::npos) break;
      AddPath(statement.line, std::string_view(statement.text).substr(at + 1, end - at - 1),
              statement.text.substr(0, kLongestPath), mentions);
      at = code.find_first_of("\"'", end + 1);
    }
  }
  return mentions;
}

std::vector<Mention> Mentions(const Script& script) {
  return script.language == Language::kShell ? ShellMentions(script.text)
                                             : PythonMentions(script.text);
}

void TellPlace(const Place& place, std::string_view path, Finding& finding) {
  finding.reason =
      fmt::format("{} is a place of {} and does not exist here", Printable(path), place.owner);
  if (place.platform)
    finding.next = fmt::format(
        "say platform: {} in the job file, whose job finds this folder, or take the place from an "
        "argument",
        place.platform);
}

void CheckPaths(const Reading& reading, Findings& findings) {
  std::set<std::string> told;
  for (const Mention& mention : Mentions(reading.script)) {
    if (!reading.here.missing.contains(mention.path) || !told.insert(mention.path).second) continue;
    const Fault fault = mention.script ? Fault::kMissingScript : Fault::kMissingPath;
    Finding finding = Found(fault, mention.line, mention.said, mention.path);
    for (const Place& place : kPlaces)
      if (IsIn(mention.path, place.folder)) TellPlace(place, mention.path, finding);
    findings.push_back(std::move(finding));
  }
}

// Whether the script uses ModelArts: its copier, its folders or its variables. Other scripts with
// an argument parser are not meant for ModelArts and need no --data_url.
bool IsForModelArts(const Reading& reading) {
  constexpr std::array<std::string_view, 7> kMarks{"moxing", "/cache/", "/home/ma-user", "obs://",
                                                   "DLS_",   "MA_JOB",  "VC_WORKER"};
  const std::string_view text = reading.script.text;
  return std::ranges::any_of(kMarks, [text](std::string_view mark) { return text.contains(mark); });
}

void CheckArguments(const Reading& reading, Findings& findings) {
  const Statement* parses = nullptr;
  bool data = false;
  bool train = false;
  for (const Statement& statement : reading.statements) {
    const std::string_view code = statement.code;
    if (FindName(code, "parse_args") != std::string_view::npos && parses == nullptr)
      parses = &statement;
    if (FindName(code, "parse_known_args") != std::string_view::npos) return;
    data |= FindName(statement.text, "--data_url") != std::string_view::npos;
    train |= FindName(statement.text, "--train_url") != std::string_view::npos;
  }
  if (parses == nullptr || (data && train) || !(data || train || IsForModelArts(reading))) return;
  findings.push_back(Found(Fault::kMissingDataUrl, parses->line, parses->text));
}

}  // namespace

std::vector<std::string> NamedPaths(const Script& script) {
  std::set<std::string> paths;
  for (Mention& mention : Mentions(script)) paths.insert(std::move(mention.path));
  return {paths.begin(), paths.end()};
}

void CheckPlatform(const Reading& reading, Findings& findings) {
  CheckPaths(reading, findings);
  CheckArguments(reading, findings);
}

}  // namespace muster::checkup
