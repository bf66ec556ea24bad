#include "checkup/shell.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"

namespace muster::checkup {
namespace {

constexpr size_t kLongestText = 400;
constexpr int kDeepestNesting = 4;
constexpr std::array<std::string_view, 14> kKeywords{"if", "then", "elif",  "else",  "fi",
                                                     "do", "done", "while", "until", "!",
                                                     "{",  "}",    "time",  "export"};
constexpr std::array<std::string_view, 9> kWrappers{"sudo", "env",    "nohup",   "exec",   "stdbuf",
                                                    "nice", "setsid", "command", "timeout"};

template <typename List>
bool Contains(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

bool IsAssignment(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  return std::ranges::all_of(word.substr(0, equals), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
  });
}

// A cursor over the script; its steps never leave the text.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<ShellCommand> Read() {
    while (at_ < text_.size()) Step();
    EndCommand("");
    return std::move(commands_);
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool Next(std::string_view wanted) const { return text_.substr(at_).starts_with(wanted); }

  char Take() {
    const char c = text_[at_++];
    if (c == '\n') ++line_;
    return c;
  }

  void Step() {
    const char c = Peek();
    if (Next("\\\n")) {
      Take(), Take();
    } else if (c == ' ' || c == '\t' || c == '\r') {
      Take();
    } else if (c == '#') {
      while (at_ < text_.size() && Peek() != '\n') Take();
    } else if (c == '\n') {
      Take();
      EndCommand("");
      SkipDocuments();
    } else if (Next("<<") && !Next("<<<")) {
      TakeDocumentMark();
    } else if (Next("((")) {
      Begin();
      words_.push_back(TakeArithmetic());
    } else if (IsOperator(c)) {
      TakeOperator();
    } else {
      Begin();
      words_.push_back(TakeWord());
    }
  }

  static bool IsOperator(char c) {
    return c == ';' || c == '&' || c == '|' || c == '(' || c == ')';
  }

  void Begin() {
    if (words_.empty()) started_ = line_;
  }

  void EndCommand(std::string end) {
    if (!words_.empty()) commands_.push_back({started_, std::move(words_), std::move(end)});
    words_.clear();
  }

  void TakeOperator() {
    // 2>&1 and &>file send output elsewhere; they end nothing.
    if (Next("&>")) {
      Take(), Take();
      return;
    }
    std::string text(1, Take());
    if (Peek() == text[0] && text[0] != '(' && text[0] != ')') text += Take();
    EndCommand(std::move(text));
  }

  std::string TakeArithmetic() {
    std::string word;
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = Take();
      word += c;
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    return word;
  }

  std::string TakeWord() {
    std::string word;
    while (at_ < text_.size()) {
      const char c = Peek();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') break;
      if (Next("\\\n")) {
        Take(), Take();
        continue;
      }
      if (IsOperator(c)) {
        const bool redirects = c == '&' && !word.empty() && word.back() == '>';
        if (!redirects) break;
      }
      TakePiece(word);
    }
    return word;
  }

  void TakePiece(std::string& word) {
    const char c = Take();
    if (c == '\'') {
      while (at_ < text_.size() && Peek() != '\'') word += Take();
      if (at_ < text_.size()) Take();
    } else if (c == '"') {
      TakeQuoted(word);
    } else if (c == '`') {
      word += c;
      while (at_ < text_.size() && Peek() != '`') word += Take();
      if (at_ < text_.size()) word += Take();
    } else if (c == '$' && (Peek() == '(' || Peek() == '{' || Peek() == '[')) {
      word += c;
      TakeExpansion(word);
    } else if (c == '\\' && at_ < text_.size()) {
      word += Take();
    } else {
      word += c;
    }
  }

  void TakeQuoted(std::string& word) {
    while (at_ < text_.size() && Peek() != '"') {
      const char c = Take();
      if (c == '\\' && at_ < text_.size()) {
        word += Take();
      } else if (c == '$' && (Peek() == '(' || Peek() == '{')) {
        word += c;
        TakeExpansion(word);
      } else {
        word += c;
      }
    }
    if (at_ < text_.size()) Take();
  }

  // "(…)", "{…}" or "[…]" with what is nested in it.
  void TakeExpansion(std::string& word) {
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = Take();
      word += c;
      if (c == '(' || c == '{' || c == '[') ++depth;
      if (c == ')' || c == '}' || c == ']') --depth;
      if (depth <= 0) break;
    }
  }

  void TakeDocumentMark() {
    at_ += 2;
    if (Peek() == '-') Take();
    while (Peek() == ' ' || Peek() == '\t') Take();
    std::string mark = TakeWord();
    if (!mark.empty()) documents_.push_back(std::move(mark));
  }

  void SkipDocuments() {
    for (const std::string& mark : documents_) {
      while (at_ < text_.size()) {
        const size_t end = std::min(text_.find('\n', at_), text_.size());
        const std::string_view body = Trim(text_.substr(at_, end - at_));
        at_ = std::min(end + 1, text_.size());
        ++line_;
        if (body == mark) break;
      }
    }
    documents_.clear();
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  int started_ = 1;
  std::vector<std::string> words_;
  std::vector<std::string> documents_;  // marks of here-documents that begin on this line
  std::vector<ShellCommand> commands_;
};

// The script in bash -c 'script', also behind sudo; null when there is none.
const std::string* NestedScript(const ShellCommand& command) {
  const std::string_view program = command.Program();
  if (program != "bash" && program != "sh") return nullptr;
  const size_t at = command.ProgramAt();
  const bool nests = at + 2 < command.words.size() && command.words[at + 1].starts_with("-") &&
                     command.words[at + 1].ends_with("c");
  return nests ? &command.words[at + 2] : nullptr;
}

std::vector<ShellCommand> ReadNested(std::string_view text, int first_line, int depth) {
  std::vector<ShellCommand> all;
  for (ShellCommand& command : Reader(text).Read()) {
    command.line += first_line - 1;
    std::vector<ShellCommand> nested;
    if (const std::string* script = NestedScript(command); script && depth < kDeepestNesting)
      nested = ReadNested(*script, command.line, depth + 1);
    all.push_back(std::move(command));
    std::ranges::move(nested, std::back_inserter(all));
  }
  return all;
}

}  // namespace

size_t ShellCommand::ProgramAt() const {
  size_t at = 0;
  bool wrapped = false;
  for (; at < words.size(); ++at) {
    const std::string_view word = words[at];
    if (Contains(kKeywords, word) || IsAssignment(word)) continue;
    if (Contains(kWrappers, word)) {
      wrapped = true;
      continue;
    }
    const bool of_wrapper =
        wrapped && (word.starts_with("-") || word.find_first_not_of("0123456789.smh") == word.npos);
    if (!of_wrapper) break;
  }
  return at;
}

std::string_view ShellCommand::Program() const {
  const size_t at = ProgramAt();
  if (at == words.size()) return {};
  const std::string_view word = words[at];
  return word.substr(word.rfind('/') + 1);
}

bool ShellCommand::Has(std::string_view word) const {
  return std::ranges::find(words, word) != words.end();
}

std::string ShellCommand::Text() const {
  std::string text;
  for (const std::string& word : words) {
    if (text.size() > kLongestText) break;
    text += (text.empty() ? "" : " ") + word.substr(0, kLongestText);
  }
  return text;
}

std::vector<ShellCommand> ReadShell(std::string_view text) { return ReadNested(text, 1, 0); }

}  // namespace muster::checkup
