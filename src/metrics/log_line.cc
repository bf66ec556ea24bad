#include "metrics/log_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace muster::metrics {

namespace {

constexpr size_t kMaxNumber = 40;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A comma between thousands: exactly three digits follow.
bool IsThousands(std::string_view text, size_t comma) {
  for (size_t i = 1; i <= 3; ++i) {
    if (comma + i >= text.size() || !IsDigit(text[comma + i])) return false;
  }
  return comma + 4 >= text.size() || !IsDigit(text[comma + 4]);
}

}  // namespace

std::string_view Readable(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  const std::string_view tail = line.substr(line.size() - std::min(line.size(), kMaxLine));
  const size_t drawn = tail.rfind('\r');
  line = drawn == std::string_view::npos ? line.substr(0, kMaxLine) : tail.substr(drawn + 1);
  if (std::none_of(line.begin(), line.end(), IsDigit)) return {};
  return Trim(line);
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
  while (IsLetter(Peek()) || IsDigit(Peek()) || Peek() == '_' || Peek() == '@') ++at_;
  return text_.substr(begin, at_ - begin);
}

std::optional<double> LineScanner::TakeNumber() {
  char buffer[kMaxNumber];
  size_t length = 0, at = at_;
  if (Peek() == '+') ++at;
  if (Peek() == '-') buffer[length++] = '-', ++at;
  if (at >= text_.size() || (!IsDigit(text_[at]) && text_[at] != '.')) return std::nullopt;
  bool fraction = false;
  while (at < text_.size() && length < kMaxNumber) {
    const char c = text_[at];
    const bool exponent = (c == 'e' || c == 'E') && at + 1 < text_.size() &&
                          (IsDigit(text_[at + 1]) || text_[at + 1] == '-' || text_[at + 1] == '+');
    const bool sign = (c == '-' || c == '+') && length > 0 && (buffer[length - 1] | 32) == 'e';
    if (c == ',' && !fraction && IsThousands(text_, at)) {
      ++at;
      continue;
    }
    if (!IsDigit(c) && !(c == '.' && !fraction) && !exponent && !sign) break;
    fraction = fraction || c == '.' || exponent;
    buffer[length++] = c, ++at;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(buffer, buffer + length, value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  at_ = at - size_t(buffer + length - end);  // "3." and "1e" end earlier
  return value;
}

}  // namespace muster::metrics
