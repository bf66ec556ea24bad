#include "checkup/settings.h"

#include <algorithm>

#include "base/text.h"

namespace muster::checkup {
namespace {

// Of a statement as long as a file only so much is looked at around each '=': reading stays linear.
constexpr size_t kLongestValue = 4096;
constexpr size_t kLongestTarget = 128;
constexpr size_t kLongestSaid = 400;

bool IsNameCharacter(char c) {
  return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

std::string Normal(std::string_view name) {
  std::string normal = Lower(name);
  std::ranges::replace(normal, '-', '_');
  return normal;
}

std::string Unquoted(std::string_view value) {
  value = Trim(value);
  const bool quoted = value.size() >= 2 && value.front() == value.back() &&
                      (value.front() == '"' || value.front() == '\'');
  return std::string(quoted ? value.substr(1, value.size() - 2) : value);
}

// The flag's name without dashes; empty for a word that is no flag.
std::string_view FlagName(std::string_view word) {
  const size_t name = word.find_first_not_of('-');
  const bool flag = name == 1 || name == 2;
  return flag ? word.substr(name, word.find('=') - name) : std::string_view();
}

void AddWord(const ShellCommand& command, size_t at, std::vector<Setting>& settings) {
  const std::string_view word = command.words[at];
  const std::string_view flag = FlagName(word);
  const size_t equals = word.find('=');
  if (equals != std::string_view::npos) {
    const std::string_view name = flag.empty() ? word.substr(0, equals) : flag;
    if (name.empty() || name.size() > 64) return;
    const Setting::Kind kind = flag.empty() ? Setting::Kind::kVariable : Setting::Kind::kFlag;
    settings.push_back({kind, command.line, Normal(name), std::string(word.substr(equals + 1)),
                        flag.empty() ? std::string(word) : command.Text()});
  } else if (!flag.empty() && at + 1 < command.words.size()) {
    settings.push_back(
        {Setting::Kind::kFlag, command.line, Normal(flag), command.words[at + 1], command.Text()});
  }
}

// A variable that holds flags ("config=--log_dir x --selected_gpus=0,1") sets them too.
void AddNested(const ShellCommand& command, const std::string& word,
               std::vector<Setting>& settings) {
  const size_t equals = word.find('=');
  if (word.starts_with("-") || equals == std::string::npos) return;
  const std::string_view value = std::string_view(word).substr(equals + 1);
  if (!Trim(value).starts_with("--")) return;
  ShellCommand nested{command.line, {}, ""};
  for (const std::string& part : Split(value, ' '))
    if (!part.empty()) nested.words.push_back(part);
  for (size_t at = 0; at < nested.words.size(); ++at) AddWord(nested, at, settings);
}

// Where the value that begins at `from` ends: at a comma or a closing bracket of its own level.
size_t EndOfValue(std::string_view code, size_t from) {
  int depth = 0;
  const size_t last = std::min(code.size(), from + kLongestValue);
  for (size_t at = from; at < last; ++at) {
    const char c = code[at];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth < 0 || (depth == 0 && (c == ',' || c == ';'))) return at;
  }
  return last;
}

// What stands before the '=' at `equals`: a name, or the string in environ["…"].
std::string_view Target(const Statement& statement, size_t equals) {
  const size_t least = equals - std::min(equals, kLongestTarget);
  const std::string_view code =
      Trim(std::string_view(statement.code).substr(least, equals - least));
  const std::string_view text =
      Trim(std::string_view(statement.text).substr(least, equals - least));
  if (code.ends_with("]")) {
    const size_t open = code.rfind('[');
    if (open == std::string_view::npos || !code.substr(0, open).ends_with("environ")) return {};
    return text.substr(open + 1, code.size() - open - 2);
  }
  size_t begin = code.size();
  while (begin > 0 && IsNameCharacter(code[begin - 1])) --begin;
  return code.substr(begin);
}

bool IsPlainEquals(std::string_view code, size_t at) {
  const auto any = [](char c, std::string_view of) { return of.contains(c); };
  if (at > 0 && any(code[at - 1], "=!<>+-*/%&|^:@")) return false;
  return at + 1 >= code.size() || code[at + 1] != '=';
}

bool GivesDefaults(std::string_view code) {
  return code.starts_with("def ") || code.starts_with("class ") || code.starts_with("async ") ||
         code.contains("lambda") || code.contains("add_argument(") || code.contains("DEFINE_");
}

}  // namespace

std::optional<int64_t> Setting::Number() const { return ParseInt(Unquoted(value)); }

std::vector<Setting> SettingsOf(const std::vector<ShellCommand>& commands) {
  std::vector<Setting> settings;
  for (const ShellCommand& command : commands) {
    const size_t program = command.ProgramAt();
    const bool prints = command.Program() == "echo" || command.Program() == "printf";
    for (size_t at = 0; at < command.words.size(); ++at) {
      if (prints && at >= program) break;
      AddWord(command, at, settings);
      AddNested(command, command.words[at], settings);
    }
  }
  return settings;
}

std::vector<Setting> SettingsOf(const std::vector<Statement>& statements) {
  std::vector<Setting> settings;
  for (const Statement& statement : statements) {
    const std::string_view code = statement.code;
    if (GivesDefaults(code)) continue;
    int depth = 0;
    for (size_t at = 0; at < code.size(); ++at) {
      const char c = code[at];
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
      if (c != '=' || !IsPlainEquals(code, at)) continue;
      const std::string name = Normal(Unquoted(Target(statement, at)));
      if (name.empty() || name.size() > 64) continue;
      const size_t end = EndOfValue(code, at + 1);
      const auto kind = depth > 0 ? Setting::Kind::kArgument : Setting::Kind::kVariable;
      settings.push_back({kind, statement.line, name,
                          Unquoted(std::string_view(statement.text).substr(at + 1, end - at - 1)),
                          statement.text.substr(0, kLongestSaid)});
    }
  }
  return settings;
}

}  // namespace muster::checkup
