#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "base/text.h"

namespace muster {
namespace {

constexpr int64_t kSecond = 1000;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;
constexpr int64_t kLongest = 36500 * kDay;  // a century; sums of such durations cannot overflow

struct Unit {
  std::string_view name;
  int64_t ms;
};
constexpr Unit kUnits[] = {{"d", kDay}, {"h", kHour}, {"m", kMinute}, {"s", kSecond}, {"ms", 1}};

std::unexpected<Error> BadDuration(std::string_view text) {
  return Fail(
      Code::kInvalid, fmt::format("\"{}\" is not a length of time", Printable(text)),
      "write seconds (90), units (90s, 15m, 2h, 1d12h) or hours:minutes:seconds (01:30:00)");
}

std::unexpected<Error> LongDuration(std::string_view text) {
  return Fail(Code::kInvalid,
              fmt::format("\"{}\" is longer than the longest time, 36500 days", Printable(text)));
}

std::unexpected<Error> BadSize(std::string_view text) {
  return Fail(Code::kInvalid, fmt::format("\"{}\" is not a size", Printable(text)),
              "write bytes (512) or a unit: 64K, 64KiB, 1.5GB, 4G");
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Removes the leading number ("12", "1.5") from the text; exponents and signs are not accepted.
std::optional<double> TakeNumber(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && IsDigit(text[end])) ++end;
  if (end == 0) return std::nullopt;
  if (end + 1 < text.size() && text[end] == '.' && IsDigit(text[end + 1])) {
    ++end;
    while (end < text.size() && IsDigit(text[end])) ++end;
  }
  const auto number = ParseDouble(text.substr(0, end));
  text.remove_prefix(end);
  return number;
}

std::string_view TakeLetters(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
  const std::string_view letters = text.substr(0, end);
  text.remove_prefix(end);
  return letters;
}

Result<int64_t> ParseClock(std::string_view text) {
  const std::vector<std::string> parts = Split(text, ':');
  const auto all_digits = [](const std::string& part) {
    return !part.empty() && std::ranges::all_of(part, IsDigit);
  };
  if (parts.size() != 3 || !std::ranges::all_of(parts, all_digits)) return BadDuration(text);
  const auto hours = ParseInt(parts[0]), minutes = ParseInt(parts[1]), seconds = ParseInt(parts[2]);
  if (!hours || *hours > kLongest / kHour) return LongDuration(text);
  if (!minutes || *minutes > 59 || !seconds || *seconds > 59) return BadDuration(text);
  return *hours * kHour + *minutes * kMinute + *seconds * kSecond;
}

struct Suffix {
  std::string_view name;
  int64_t bytes;
};
constexpr Suffix kSuffixes[] = {
    {"", 1},
    {"b", 1},
    {"k", int64_t{1} << 10},
    {"kib", int64_t{1} << 10},
    {"kb", 1'000},
    {"m", int64_t{1} << 20},
    {"mib", int64_t{1} << 20},
    {"mb", 1'000'000},
    {"g", int64_t{1} << 30},
    {"gib", int64_t{1} << 30},
    {"gb", 1'000'000'000},
    {"t", int64_t{1} << 40},
    {"tib", int64_t{1} << 40},
    {"tb", 1'000'000'000'000},
    {"p", int64_t{1} << 50},
    {"pib", int64_t{1} << 50},
    {"pb", 1'000'000'000'000'000},
};

// Seconds and milliseconds, limited to the years 1 to 9999 that the formats can show.
std::pair<time_t, int> SplitWall(int64_t wall_ms) {
  wall_ms = std::clamp<int64_t>(wall_ms, -62'135'596'800'000, 253'402'300'799'999);
  const int64_t seconds = wall_ms >= 0 ? wall_ms / 1000 : (wall_ms - 999) / 1000;
  return {time_t(seconds), int(wall_ms - seconds * 1000)};
}

}  // namespace

Result<int64_t> ParseDuration(std::string_view text) {
  if (text.find(':') != std::string_view::npos) return ParseClock(text);
  const std::string lower = Lower(text);
  std::string_view rest = lower;
  const Unit* unit = std::begin(kUnits);
  double total = 0;
  do {
    const auto number = TakeNumber(rest);
    if (!number) return BadDuration(text);
    const std::string_view name = TakeLetters(rest);
    const bool plain_seconds = name.empty() && rest.empty() && unit == std::begin(kUnits);
    // Units must be in descending order without repetition: "1h1h" and "5s1m" are errors.
    unit = std::find_if(unit, std::end(kUnits), [&](const Unit& candidate) {
      return candidate.name == (plain_seconds ? "s" : name);
    });
    if (unit == std::end(kUnits)) return BadDuration(text);
    total += *number * double(unit->ms);
    ++unit;
  } while (!rest.empty());
  if (total > double(kLongest)) return LongDuration(text);
  return std::llround(total);
}

Result<int64_t> ParseSize(std::string_view text) {
  const std::string lower = Lower(text);
  std::string_view rest = lower;
  const auto number = TakeNumber(rest);
  if (!number) return BadSize(text);
  if (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);  // accepts the output of HumanSize
  const auto* suffix = std::ranges::find(kSuffixes, rest, &Suffix::name);
  if (suffix == std::end(kSuffixes)) return BadSize(text);
  const double bytes = *number * double(suffix->bytes);
  if (bytes >= 9.2e18) {
    return Fail(Code::kInvalid, fmt::format("\"{}\" is larger than any size", Printable(text)));
  }
  return std::llround(bytes);
}

std::string HumanDuration(int64_t ms) {
  if (ms < 0) return "-" + HumanDuration(ms == INT64_MIN ? INT64_MAX : -ms);
  if (ms < kSecond) return fmt::format("{}ms", ms);
  if (ms < kMinute) return fmt::format("{}.{}s", ms / kSecond, ms % kSecond / 100);
  if (ms < kHour) return fmt::format("{}m {:02}s", ms / kMinute, ms % kMinute / kSecond);
  if (ms < kDay) return fmt::format("{}h {:02}m", ms / kHour, ms % kHour / kMinute);
  return fmt::format("{}d {:02}h", ms / kDay, ms % kDay / kHour);
}

std::string HumanSize(int64_t bytes) {
  if (bytes < 0) return "-" + HumanSize(bytes == INT64_MIN ? INT64_MAX : -bytes);
  constexpr std::array<const char*, 7> kNames = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  while (unit + 1 < kNames.size() && (bytes >> (10 * (unit + 1))) > 0) ++unit;
  const size_t shift = 10 * unit;
  const auto whole = uint64_t(bytes) >> shift;
  const uint64_t rest = uint64_t(bytes) & ((uint64_t{1} << shift) - 1);
  const uint64_t tenths = (rest * 10) >> shift;
  if (tenths == 0) return fmt::format("{} {}", whole, kNames[unit]);
  return fmt::format("{}.{} {}", whole, tenths, kNames[unit]);
}

std::string WallTime(int64_t wall_ms) {
  const auto [seconds, ms] = SplitWall(wall_ms);
  tm parts{};
  localtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string IsoTime(int64_t wall_ms) {
  const auto [seconds, ms] = SplitWall(wall_ms);
  tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     ms);
}

}  // namespace muster
