#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace muster::metrics {

// Only this many bytes of a line are read, however long the line is.
inline constexpr size_t kMaxLine = 4096;

// The first kMaxLine bytes of a line without escape sequences and control characters. After a
// carriage return or a cursor movement the text starts again: a bar was redrawn.
std::string CleanLine(std::string_view line);

// A cursor over one line. Its steps never fail and never leave the text.
class LineScanner {
 public:
  explicit LineScanner(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  char Before() const { return at_ > 0 && at_ <= text_.size() ? text_[at_ - 1] : '\0'; }
  size_t position() const { return at_; }
  void Back(size_t position) { at_ = position; }
  void Skip(size_t count = 1) { at_ += count; }
  void SkipAnyOf(std::string_view characters);
  // True when `text` comes next; the cursor is then behind it.
  bool Take(std::string_view text);
  // Letters, digits, _ and @; the first character is no digit. Empty when no word begins here.
  std::string_view TakeWord();
  // Names joined by _ / . or -: "train/loss_step". Empty when no word begins here.
  std::string_view TakeIdentifier();
  // A number with sign, exponent, or commas between thousands, or nan, inf, -inf, Infinity.
  // Nothing when the number is a part of something else: "127.0.0.1", "3x", "12:30".
  std::optional<double> TakeNumber();
  std::string_view rest() const { return at_ < text_.size() ? text_.substr(at_) : ""; }

 private:
  std::optional<double> TakeWordNumber(size_t sign);

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace muster::metrics
