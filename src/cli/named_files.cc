#include "cli/named_files.h"

#include <algorithm>

#include "base/text.h"
#include "checkup/python.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLargestScript = 1 << 20;

// The words of a command, and whether a shell reads them.
struct Words {
  std::vector<std::string> words;
  bool shell = false;
};

// The words of a shell's text, split at blanks, quotes and operators.
std::vector<std::string> ShellTextWords(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (!std::string_view(" \t\r\n;&|()<>`\"'").contains(c)) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool IsShell(const std::string& program) {
  const std::string name = fs::path(program).filename().string();
  return name == "sh" || name == "bash" || name == "dash" || name == "zsh";
}

// The text behind `-c` of "sh -c TEXT" as words; otherwise the words themselves.
Words OpenShellText(std::vector<std::string> words) {
  if (words.empty() || !IsShell(words.front())) return {std::move(words)};
  for (size_t i = 1; i + 1 < words.size() && words[i].starts_with('-'); ++i)
    if (words[i].ends_with('c')) return {ShellTextWords(words[i + 1]), true};
  return {std::move(words)};
}

Words WordsOf(const Command& command) {
  if (!command.words.empty()) return OpenShellText(command.words);
  auto words = NeedsShell(command.text) ? Result<std::vector<std::string>>(std::unexpect, Error{})
                                        : ShellSplit(command.text);
  if (!words) return {ShellTextWords(command.text), true};
  return OpenShellText(std::move(*words));
}

bool HasScriptName(std::string_view word) { return word.ends_with(".py") || word.ends_with(".sh"); }

class Finder {
 public:
  explicit Finder(const os::Path& folder) : folder_(folder) {}

  void Look(const Words& command) {
    in_shell_ = command.shell;
    const std::vector<std::string>& words = command.words;
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string_view before = i > 0 ? std::string_view(words[i - 1]) : "";
      const bool program = i == 0 && !command.shell && words[i].contains('/');
      if (before == "-m" || before == "--module") {
        LookAtModule(words[i]);
      } else {
        LookAt(words[i], program, before == "cd");
      }
    }
  }

  void LookAtValue(const std::string& value) {
    in_shell_ = false;
    LookAt(value, false, false);
  }

  std::vector<NamedPath> Take() { return std::move(found_); }

 private:
  // `word` is a path, or "--option=path".
  void LookAt(std::string_view word, bool is_program, bool is_folder) {
    if (const size_t equals = word.find('='); equals != std::string_view::npos)
      word.remove_prefix(equals + 1);
    if (word.empty() || word == "." || word == ".." || word.find("://") != std::string_view::npos)
      return;
    if (word.starts_with('/') || word.starts_with('-') || word.starts_with('~')) return;
    const fs::path path = fs::path(word).lexically_normal();
    std::error_code error;
    const fs::file_status status = fs::status(folder_ / path, error);
    if (fs::is_regular_file(status)) {
      Add({.path = path.string(), .is_script = is_program || HasScriptName(word)});
    } else if (fs::is_directory(status) && (is_folder || word.contains('/'))) {
      Add({.path = path.string(), .is_folder = true});
    }
  }

  // "pkg.train" is pkg/train.py or a package that can be run.
  void LookAtModule(std::string module) {
    std::ranges::replace(module, '.', '/');
    if (module.empty() || module.starts_with('/')) return;
    for (const std::string& file : {module + ".py", module + "/__main__.py"}) {
      std::error_code error;
      if (fs::is_regular_file(folder_ / file, error)) return Add({.path = file, .is_script = true});
    }
  }

  void Add(NamedPath named) {
    named.in_shell = in_shell_;
    if (std::ranges::find(found_, named.path, &NamedPath::path) == found_.end())
      found_.push_back(std::move(named));
  }

  const os::Path& folder_;
  bool in_shell_ = false;
  std::vector<NamedPath> found_;
};

}  // namespace

std::vector<NamedPath> FindNamedPaths(const JobSpec& spec, const os::Path& folder) {
  Finder finder(folder);
  for (const Role& role : spec.roles) {
    finder.Look(WordsOf(role.run));
    for (const auto& parameter : role.parameters) finder.LookAtValue(parameter.second);
  }
  finder.Look({ShellTextWords(spec.hooks.setup), true});
  return finder.Take();
}

std::vector<std::string> FindOwnModules(const os::Path& folder, const std::string& script) {
  const auto text = os::ReadFile(folder / script, kLargestScript);
  if (!text) return {};
  const fs::path beside = fs::path(script).parent_path();
  std::vector<std::string> modules;
  for (const checkup::Statement& statement : checkup::ReadPython(*text)) {
    for (const std::string& import : checkup::Imports(statement)) {
      const std::string name = import.substr(0, import.find('.'));
      if (name.empty()) continue;
      for (const fs::path& file : {beside / (name + ".py"), beside / name / "__init__.py"}) {
        std::error_code error;
        if (fs::is_regular_file(folder / file, error) &&
            std::ranges::find(modules, file.string()) == modules.end())
          modules.push_back(file.string());
      }
    }
  }
  return modules;
}

}  // namespace muster::cli
