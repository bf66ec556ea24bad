#include "dialect/command.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/staging.h"
#include "model/variables.h"

namespace muster::dialect {

namespace {

constexpr std::string_view kFileScheme = "file://";

bool HasName(const Pairs& pairs, std::string_view name) {
  return std::any_of(pairs.begin(), pairs.end(),
                     [name](const auto& pair) { return pair.first == name; });
}

std::vector<std::string> ParameterWords(const JobSpec& spec, const Role& role,
                                        const Places& places) {
  Pairs all;
  for (const auto& input : spec.inputs) {
    if (!HasName(role.parameters, input.first)) {
      all.emplace_back(input.first, InputPath(spec, input, places));
    }
  }
  for (const auto& output : spec.outputs) {
    if (!HasName(role.parameters, output.first)) {
      all.emplace_back(output.first, OutputFolder(output, places));
    }
  }
  all.insert(all.end(), role.parameters.begin(), role.parameters.end());
  std::vector<std::string> words;
  words.reserve(all.size());
  for (const auto& [name, value] : all) words.push_back(fmt::format("--{}={}", name, value));
  return words;
}

// The words that start a script: its interpreter for a .py or .sh file, nothing for a program.
std::vector<std::string> Interpreter(const JobSpec& spec, std::string_view program) {
  if (program.ends_with(".py")) return {spec.python};
  if (program.ends_with(".sh")) return {"/bin/bash"};
  return {};
}

std::string_view FirstWord(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t\n;&|()<>\"'"));
}

// What a login shell does first, without losing the PATH of the job: /etc/profile sets another.
constexpr std::string_view kLogin =
    "muster_path=$PATH; [ -r /etc/profile ] && . /etc/profile; PATH=$muster_path; unset "
    "muster_path\n"
    "for muster_file in ~/.bash_profile ~/.bash_login ~/.profile; do\n"
    "  if [ -r \"$muster_file\" ]; then . \"$muster_file\"; break; fi\ndone; unset muster_file\n";

// The shell of a text: a login bash on Apulis, and bash on ModelArts, which has variables whose
// names sh drops (BATCH_<job>.0_HOSTS).
std::vector<std::string> ShellCommand(const JobSpec& spec, std::string line) {
  if (spec.platform == "apulis")
    return {"/bin/bash", "--noprofile", "-lc", std::string(kLogin) + std::move(line)};
  return {spec.platform.empty() ? "/bin/sh" : "/bin/bash", "-c", std::move(line)};
}

// Apulis hands every command to a shell, a boot file excepted.
bool IsByShell(const JobSpec& spec, std::string_view text) {
  if (NeedsShell(text)) return true;
  return spec.platform == "apulis" && spec.framework == "custom" &&
         Interpreter(spec, FirstWord(text)).empty();
}

// Text that needs a shell is run by one; a script in front gets its interpreter there as well.
Result<std::vector<std::string>> TextWords(const JobSpec& spec, std::string_view text,
                                           const std::vector<std::string>& parameters) {
  if (!IsByShell(spec, text)) return ShellSplit(text);
  std::string line = ShellJoin(Interpreter(spec, FirstWord(text)));
  if (!line.empty()) line += ' ';
  line += text;
  if (!parameters.empty()) line += " " + ShellJoin(parameters);
  return ShellCommand(spec, std::move(line));
}

std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

bool IsOneOf(std::string_view word, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

// In shell text a program may be at any position; a rough split into words is sufficient.
std::vector<std::string> RoughWords(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::string_view(" \t\n;&|()`\"'").contains(c)) {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace

bool IsShellText(const std::vector<std::string>& argv) {
  if (argv.size() < 3 || argv.size() > 4) return false;
  const std::string& option = argv[argv.size() - 2];
  const std::string_view shell = BaseName(argv[0]);
  return (option == "-c" || option == "-lc") && (shell == "sh" || shell == "bash");
}

std::string PlainPath(std::string_view value) {
  if (!value.starts_with(kFileScheme)) return std::string(value);
  value.remove_prefix(kFileScheme.size());
  const size_t path = value.find('/');  // after a host name, which can only be this machine
  if (path == std::string_view::npos) return std::string(value);
  value.remove_prefix(path);
  const auto hex = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 87 : -1;
  };
  std::string text;
  for (size_t i = 0; i < value.size(); ++i) {
    const bool coded =
        value[i] == '%' && i + 2 < value.size() && hex(value[i + 1]) >= 0 && hex(value[i + 2]) >= 0;
    text += coded ? char(hex(value[i + 1]) * 16 + hex(value[i + 2])) : value[i];
    if (coded) i += 2;
  }
  return text;
}

std::string WithJobId(std::string place, JobId job) {
  const std::string number = std::to_string(job);
  for (size_t at = place.find(kJobIdVariable); at != std::string::npos;
       at = place.find(kJobIdVariable, at + number.size()))
    place.replace(at, kJobIdVariable.size(), number);
  return place;
}

std::string OutputFolder(const std::pair<std::string, std::string>& output, const Places& places) {
  if (!output.second.empty()) return PlainPath(WithJobId(output.second, places.job));
  std::string folder = output.first;  // slashes in a name must not lead to another folder
  std::replace(folder.begin(), folder.end(), '/', '_');
  return fmt::format("{}/outputs/{}", places.job_dir, folder);
}

Result<std::vector<std::string>> BuildCommand(const JobSpec& spec, const Role& role,
                                              const Places& places) {
  const std::vector<std::string> parameters = ParameterWords(spec, role, places);
  const std::string_view text = Trim(role.run.text);
  std::vector<std::string> words = role.run.words;
  if (words.empty()) {
    if (text.empty()) {
      return Fail(Code::kInvalid, fmt::format("role {} has no command", role.name),
                  "give `run:` a boot file or a command");
    }
    MUSTER_ASSIGN(words, TextWords(spec, text, parameters));
    if (IsByShell(spec, text)) return words;  // its parameters are part of the text
  }
  std::vector<std::string> argv = Interpreter(spec, words.front());
  argv.insert(argv.end(), words.begin(), words.end());
  argv.insert(argv.end(), parameters.begin(), parameters.end());
  return argv;
}

std::vector<std::string> CommandWords(const std::vector<std::string>& argv) {
  return IsShellText(argv) ? RoughWords(argv.back()) : argv;
}

bool RunsProgram(const std::vector<std::string>& argv, std::span<const std::string_view> names) {
  if (argv.empty()) return false;
  if (IsShellText(argv)) {
    const std::vector<std::string> words = RoughWords(argv.back());
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return IsOneOf(BaseName(word), names); });
  }
  if (IsOneOf(BaseName(argv[0]), names)) return true;
  if (!BaseName(argv[0]).starts_with("python")) return false;
  // Options of the interpreter may precede -m; the first other word is its script.
  for (size_t i = 1; i + 1 < argv.size() && argv[i].starts_with("-"); ++i) {
    if (argv[i] == "-m") return IsOneOf(argv[i + 1], names);
    if (argv[i] == "-X" || argv[i] == "-W") ++i;
  }
  return false;
}

}  // namespace muster::dialect
