#include "cli/when.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::cli {
namespace {

// The fields of a date in one of the forms; nothing for other text.
std::optional<std::tm> ParseDate(std::string text) {
  std::ranges::replace(text, 'T', ' ');
  for (const char* form : {"%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"}) {
    std::tm date{};
    date.tm_isdst = -1;
    const char* end = ::strptime(text.c_str(), form, &date);
    if (end != nullptr && *end == '\0') return date;
  }
  return std::nullopt;
}

}  // namespace

Result<int64_t> ParseWhen(std::string_view text, int64_t now_ms) {
  if (const auto ago = ParseDuration(text)) return now_ms - *ago;
  const bool utc = text.ends_with('Z');
  if (auto date = ParseDate(std::string(text.substr(0, text.size() - size_t(utc)))))
    return int64_t(utc ? ::timegm(&*date) : ::mktime(&*date)) * 1000;
  return Fail(Code::kInvalid, fmt::format("found {}, expected a time", ShellQuote(Printable(text))),
              "give how long ago, such as 10m, or a date such as '2026-01-31 14:05'");
}

}  // namespace muster::cli
