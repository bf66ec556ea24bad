#include "metrics/log_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.h"

namespace muster::metrics {

namespace {

constexpr size_t kMaxNumber = 40;
constexpr char kEscape = '\x1b';

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsWordCharacter(char c) { return IsLetter(c) || IsDigit(c) || c == '_' || c == '@'; }

// A comma between thousands: exactly three digits follow.
bool IsThousands(std::string_view text, size_t comma) {
  for (size_t i = 1; i <= 3; ++i) {
    if (comma + i >= text.size() || !IsDigit(text[comma + i])) return false;
  }
  return comma + 4 >= text.size() || !IsDigit(text[comma + 4]);
}

// The size of the escape sequence at `at`, and its final character.
size_t EscapeSize(std::string_view text, size_t at, char& final) {
  size_t end = at + 1;
  final = end < text.size() ? text[end] : '\0';
  if (final == ']') {  // OSC, up to BEL or ST
    while (end < text.size() && text[end] != '\a' && text[end] != kEscape) ++end;
    return std::min(text.size(), end + 1) - at;
  }
  if (final != '[') return std::min(text.size(), end + 1) - at;
  ++end;
  while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
  final = end < text.size() ? text[end] : '\0';
  return std::min(text.size(), end + 1) - at;
}

}  // namespace

std::string CleanLine(std::string_view line) {
  std::string clean;
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  const std::string_view tail = line.substr(line.size() - std::min(line.size(), kMaxLine));
  const size_t drawn = tail.rfind('\r');
  line = drawn == std::string_view::npos ? line.substr(0, kMaxLine) : tail.substr(drawn + 1);
  bool moved = false;  // the cursor moved; the next character starts a new text
  for (size_t at = 0; at < line.size();) {
    const auto byte = static_cast<unsigned char>(line[at]);
    if (line[at] == kEscape) {
      char final = '\0';
      at += EscapeSize(line, at, final);
      moved = moved || (final >= 'A' && final <= 'H');
      continue;
    }
    if (byte >= 0x20 || line[at] == '\t') {
      if (std::exchange(moved, false)) clean.clear();
      clean += line[at];
    }
    ++at;
  }
  while (!clean.empty() && (clean.back() == ' ' || clean.back() == '\t')) clean.pop_back();
  return clean;
}

void LineScanner::SkipAnyOf(std::string_view characters) {
  while (!AtEnd() && characters.contains(text_[at_])) ++at_;
}

bool LineScanner::Take(std::string_view text) {
  if (!rest().starts_with(text)) return false;
  at_ += text.size();
  return true;
}

std::string_view LineScanner::TakeWord() {
  if (!IsLetter(Peek()) && Peek() != '_') return {};
  const size_t begin = at_;
  while (IsWordCharacter(Peek())) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string_view LineScanner::TakeIdentifier() {
  const size_t begin = at_;
  if (TakeWord().empty()) return {};
  while (std::string_view("/.-").contains(Peek()) && IsWordCharacter(Peek(1)))
    while (++at_ < text_.size() && IsWordCharacter(text_[at_])) {
    }
  return text_.substr(begin, at_ - begin);
}

std::optional<double> LineScanner::TakeWordNumber(size_t sign) {
  LineScanner ahead = *this;
  ahead.Skip(sign);
  const std::string word = Lower(ahead.TakeWord());
  if (word != "nan" && word != "inf" && word != "infinity") return std::nullopt;
  const bool negative = sign == 1 && Peek() == '-';
  if (ahead.Peek() == '-' || ahead.Peek() == '/' || ahead.Peek() == '(') return std::nullopt;
  at_ = ahead.position();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  return negative ? -std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::infinity();
}

std::optional<double> LineScanner::TakeNumber() {
  char buffer[kMaxNumber];
  size_t length = 0, at = at_;
  const size_t sign = Peek() == '+' || Peek() == '-' ? 1 : 0;
  if (IsLetter(Peek(sign))) return TakeWordNumber(sign);
  if (Peek() == '-') buffer[length++] = '-';
  at += sign;
  if (at >= text_.size() || (!IsDigit(text_[at]) && text_[at] != '.')) return std::nullopt;
  bool fraction = false;
  while (at < text_.size() && length < kMaxNumber) {
    const char c = text_[at];
    const bool exponent = (c == 'e' || c == 'E') && at + 1 < text_.size() &&
                          (IsDigit(text_[at + 1]) || text_[at + 1] == '-' || text_[at + 1] == '+');
    const bool after_e = (c == '-' || c == '+') && length > 0 && (buffer[length - 1] | 32) == 'e';
    if (c == ',' && !fraction && IsThousands(text_, at)) {
      ++at;
      continue;
    }
    if (!IsDigit(c) && !(c == '.' && !fraction) && !exponent && !after_e) break;
    fraction = fraction || c == '.' || exponent;
    buffer[length++] = c, ++at;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(buffer, buffer + length, value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  at -= size_t(buffer + length - end);  // "3." and "1e" end earlier
  if (at + 1 < text_.size() && text_[at] == '.' && IsDigit(text_[at + 1])) return std::nullopt;
  if (at + 1 < text_.size() && text_[at] == ':' && IsDigit(text_[at + 1])) return std::nullopt;
  at_ = at;
  return value;
}

}  // namespace muster::metrics
