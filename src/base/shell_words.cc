#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace muster {
namespace {

constexpr std::string_view kEscapedInDoubleQuotes = "$`\"\\\n";

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// One pass over the text; completed words are appended to `words`.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  Result<std::vector<std::string>> Run() {
    while (at_ < text_.size()) MUSTER_TRY(Step());
    EndWord();
    return std::move(words_);
  }

 private:
  Status Step() {
    const char c = text_[at_++];
    if (IsBlank(c)) {
      EndWord();
      return {};
    }
    if (c == '\0') {
      return Fail(Code::kInvalid, fmt::format("command has a NUL byte at position {}", at_));
    }
    if (c == '\'') return SingleQuotes();
    if (c == '"') return DoubleQuotes();
    if (c == '\\') return Backslash();
    Add(c);
    return {};
  }

  Status SingleQuotes() {
    const size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) return OpenQuote('\'', at_);
    Add(text_.substr(at_, end - at_));
    at_ = end + 1;
    return {};
  }

  Status DoubleQuotes() {
    const size_t begin = at_;
    in_word_ = true;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return {};
      const bool escape = c == '\\' && at_ < text_.size() &&
                          kEscapedInDoubleQuotes.find(text_[at_]) != std::string_view::npos;
      if (!escape) {
        word_ += c;
      } else if (const char next = text_[at_++]; next != '\n') {
        word_ += next;
      }
    }
    return OpenQuote('"', begin);
  }

  Status Backslash() {
    if (at_ == text_.size()) {
      return Fail(Code::kInvalid, "command ends with a backslash",
                  "remove it, or put it in single quotes");
    }
    const char next = text_[at_++];
    if (next != '\n') Add(next);  // an escaped newline joins two lines
    return {};
  }

  static std::unexpected<Error> OpenQuote(char quote, size_t position) {
    return Fail(
        Code::kInvalid,
        fmt::format("command has no closing {} for the quote at position {}", quote, position),
        "close the quote, or escape it with a backslash");
  }

  template <typename Piece>
  void Add(Piece piece) {
    word_ += piece;
    in_word_ = true;
  }

  void EndWord() {
    if (in_word_) words_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string word_;
  bool in_word_ = false;  // "" is a word as well
  std::vector<std::string> words_;
};

bool BeginsWithAssignment(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && IsNameChar(text[end])) ++end;
  return end > 0 && end < text.size() && text[end] == '=' && !(text[0] >= '0' && text[0] <= '9');
}

bool BeginsWithReservedWord(std::string_view text) {
  const std::string_view first = text.substr(0, text.find_first_of(" \t"));
  return first == "{" || first == "!";
}

// The index after the quoted part that begins at `at`; npos if a shell would expand something
// inside it.
size_t SkipQuoted(std::string_view text, size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote) {
    if (quote == '"') {
      if (text[at] == '$' || text[at] == '`') return std::string_view::npos;
      if (text[at] == '\\') ++at;
    }
    ++at;
  }
  return at + 1;
}

}  // namespace

Result<std::vector<std::string>> ShellSplit(std::string_view text) { return Splitter(text).Run(); }

bool NeedsShell(std::string_view text) {
  text = Trim(text);
  if (BeginsWithAssignment(text) || BeginsWithReservedWord(text)) return true;
  bool word_start = true;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\'' || c == '"') {
      i = SkipQuoted(text, i);
      if (i == std::string_view::npos) return true;
      word_start = false;
      continue;
    }
    if (c == '\\') {
      i += 2;
      word_start = false;
      continue;
    }
    if (std::string_view("|&;<>()$`*?[\n").find(c) != std::string_view::npos) return true;
    if (word_start && (c == '~' || c == '#')) return true;
    word_start = IsBlank(c);
    ++i;
  }
  return false;
}

std::string ShellQuote(std::string_view word) {
  const auto is_safe = [](char c) {
    return IsNameChar(c) || std::string_view("@%+=:,./-").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_safe)) return std::string(word);
  std::string quoted = "'";
  for (char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string ShellJoin(std::span<const std::string> words) {
  std::string joined;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) joined += ' ';
    const std::string quoted = ShellQuote(words[i]);
    // A program name that looks like an assignment must be quoted.
    const bool assignment = i == 0 && quoted == words[i] && BeginsWithAssignment(quoted);
    joined += assignment ? "'" + quoted + "'" : quoted;
  }
  return joined;
}

}  // namespace muster
