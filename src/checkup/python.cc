#include "checkup/python.h"

#include "base/text.h"

namespace muster::checkup {
namespace {

bool IsNameCharacter(char c) {
  return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
         (c & 0x80) != 0;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<Statement> Read() {
    while (at_ < text_.size()) Step();
    End();
    return std::move(statements_);
  }

 private:
  bool Next(std::string_view wanted) const { return text_.substr(at_).starts_with(wanted); }

  char Take() {
    const char c = text_[at_++];
    if (c == '\n') ++line_;
    return c;
  }

  void Step() {
    const char c = text_[at_];
    if (c == '#') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (Next("\\\n")) {
      Take(), Take();
      Keep(' ', ' ');
    } else if (c == '\n') {
      Take();
      if (depth_ > 0) {
        Keep(' ', ' ');
      } else {
        End();
      }
    } else if (c == '"' || c == '\'') {
      TakeString(c);
    } else {
      Take();
      if (c == '(' || c == '[' || c == '{') ++depth_;
      if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
      Keep(c, c);
    }
  }

  void Keep(char text, char code) {
    if (now_.text.empty()) {
      if (text == ' ' || text == '\t' || text == '\r') return;
      now_.line = line_;
    }
    now_.text += text;
    now_.code += code;
  }

  // Quotes stay in the code, what is between them does not.
  void TakeString(char quote) {
    const std::string three(3, quote);
    const std::string end = Next(three) ? three : std::string(1, quote);
    for (size_t i = 0; i < end.size(); ++i) Keep(Take(), quote);
    while (at_ < text_.size() && !Next(end)) {
      if (end.size() == 1 && text_[at_] == '\n') return;  // open: the line ends it
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) Keep(OneLine(Take()), ' ');
      Keep(OneLine(Take()), ' ');
    }
    for (size_t i = 0; i < end.size() && at_ < text_.size(); ++i) Keep(Take(), quote);
  }

  static char OneLine(char c) { return c == '\n' ? ' ' : c; }

  void End() {
    const bool only_string = Trim(now_.code).find_first_not_of("\"' ") == std::string_view::npos;
    if (!now_.text.empty() && !only_string) statements_.push_back(std::move(now_));
    now_ = {};
    depth_ = 0;
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  int depth_ = 0;
  Statement now_;
  std::vector<Statement> statements_;
};

// The next word of letters, digits, '_' and '.'.
std::string_view TakeDotted(std::string_view& text) {
  text = Trim(text);
  size_t end = 0;
  while (end < text.size() && (IsNameCharacter(text[end]) || text[end] == '.')) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

// "a.b as c, d" one by one.
void AddNames(std::string_view list, const std::string& prefix, std::vector<std::string>& names) {
  for (const std::string& item : Split(list, ',')) {
    std::string_view rest = item;
    if (Trim(rest).starts_with("(")) rest = Trim(rest).substr(1);
    const std::string_view name = TakeDotted(rest);
    if (!name.empty()) names.push_back(prefix + std::string(name));
  }
}

}  // namespace

std::vector<Statement> ReadPython(std::string_view text) { return Reader(text).Read(); }

size_t FindName(std::string_view code, std::string_view word, size_t from) {
  for (size_t at = code.find(word, from); at != std::string_view::npos;
       at = code.find(word, at + 1)) {
    const bool begins = at == 0 || !IsNameCharacter(code[at - 1]);
    const size_t end = at + word.size();
    if (begins && (end == code.size() || !IsNameCharacter(code[end]))) return at;
  }
  return std::string_view::npos;
}

std::vector<std::string> Imports(const Statement& statement) {
  std::vector<std::string> names;
  std::string_view rest = statement.code;
  const std::string_view first = TakeDotted(rest);
  if (first == "import") AddNames(rest, "", names);
  if (first == "from") {
    const std::string module(TakeDotted(rest));
    names.push_back(module);
    if (TakeDotted(rest) == "import") AddNames(rest, module + ".", names);
  }
  return names;
}

}  // namespace muster::checkup
