#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace muster::metrics {

// How much of a line is looked at, however long it is.
inline constexpr size_t kMaxLine = 4096;

// The part of a line that is worth reading: what a progress bar drew last over its line, at most
// kMaxLine bytes, without blanks around it. Empty when there is no digit in it.
std::string_view Readable(std::string_view line);

// A cursor over one line; its steps never fail and never leave the text.
class LineScanner {
 public:
  explicit LineScanner(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  size_t position() const { return at_; }
  void Back(size_t position) { at_ = position; }
  void Skip(size_t count = 1) { at_ += count; }
  void SkipAnyOf(std::string_view characters);
  // True, and past it, when this text comes next.
  bool Take(std::string_view text);
  // A name: letters, digits, _ and @, no digit first; empty when none begins here.
  std::string_view TakeWord();
  // A finite number, also with a sign, an exponent or commas between thousands.
  std::optional<double> TakeNumber();
  std::string_view rest() const { return at_ < text_.size() ? text_.substr(at_) : ""; }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace muster::metrics
