#include "s3/time_text.h"

#include <algorithm>
#include <array>
#include <ctime>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::s3 {
namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::tm Utc(int64_t wall_ms) {
  const auto when = static_cast<std::time_t>(wall_ms / 1000);
  std::tm utc = {};
  ::gmtime_r(&when, &utc);
  return utc;
}

// The digits in [at, at + count) as a number; -1 if they are not digits.
int Number(std::string_view text, size_t at, size_t count) {
  if (at + count > text.size()) return -1;
  int value = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<int64_t> Instant(int year, int month, int day, int hour, int minute, int second) {
  const bool fits = year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 31 &&
                    hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 &&
                    second <= 60;
  if (!fits) return std::nullopt;
  std::tm utc = {};
  utc.tm_year = year - 1900;
  utc.tm_mon = month - 1;
  utc.tm_mday = day;
  utc.tm_hour = hour;
  utc.tm_min = minute;
  utc.tm_sec = second;
  return static_cast<int64_t>(::timegm(&utc)) * 1000;
}

}  // namespace

std::string HttpDate(int64_t wall_ms) {
  const std::tm utc = Utc(wall_ms);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[size_t(utc.tm_wday)],
                     utc.tm_mday, kMonths[size_t(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour,
                     utc.tm_min, utc.tm_sec);
}

std::optional<int64_t> ParseHttpDate(std::string_view text) {
  // "Sun, 06 Nov 1994 08:49:37 GMT": fixed positions.
  const std::string_view zone = text.substr(std::min<size_t>(25, text.size()));
  if (text.size() < 26 || text[4] != ' ' || (zone != " GMT" && zone != " UTC" && zone != " +0000"))
    return std::nullopt;
  const auto month = std::ranges::find(kMonths, text.substr(8, 3));
  if (month == kMonths.end()) return std::nullopt;
  return Instant(Number(text, 12, 4), static_cast<int>(month - kMonths.begin()) + 1,
                 Number(text, 5, 2), Number(text, 17, 2), Number(text, 20, 2), Number(text, 23, 2));
}

std::string CompactDate(int64_t wall_ms) {
  const std::tm utc = Utc(wall_ms);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::optional<int64_t> ParseCompactDate(std::string_view text) {
  if (text.size() != 16 || text[8] != 'T' || text[15] != 'Z') return std::nullopt;
  return Instant(Number(text, 0, 4), Number(text, 4, 2), Number(text, 6, 2), Number(text, 9, 2),
                 Number(text, 11, 2), Number(text, 13, 2));
}

std::optional<int64_t> ParseIsoDate(std::string_view text) {
  if (text.size() < 20 || text.back() != 'Z' || text[10] != 'T') return std::nullopt;
  const auto whole = Instant(Number(text, 0, 4), Number(text, 5, 2), Number(text, 8, 2),
                             Number(text, 11, 2), Number(text, 14, 2), Number(text, 17, 2));
  const int thousandths = text.size() >= 24 && text[19] == '.' ? Number(text, 20, 3) : 0;
  return whole && thousandths > 0 ? *whole + thousandths : whole;
}

}  // namespace muster::s3
