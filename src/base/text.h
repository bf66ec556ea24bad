#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster {

std::vector<std::string> Split(std::string_view text, char separator);
std::string Join(std::span<const std::string> parts, std::string_view separator);
std::string_view Trim(std::string_view text);
std::string Lower(std::string_view text);
// As Lower would find them, without making a text: for what every request asks.
bool SameWord(std::string_view a, std::string_view b);
bool BeginsWithWord(std::string_view text, std::string_view word);

bool IsUtf8(std::string_view text);
// Every invalid byte sequence becomes one U+FFFD.
std::string CleanUtf8(std::string_view text);
// Cleans, and drops control characters (escape sequences above all), so that text from outside is
// safe on a terminal. Tabs stay, newlines become blanks: what comes out is one line.
std::string Printable(std::string_view text);
// Columns that valid UTF-8 takes on a terminal: wide CJK counts two, combining marks none.
int DisplayWidth(std::string_view text);

// The whole text as a number, or nothing: no blanks, no leading '+', no overflow, no nan or inf.
std::optional<int64_t> ParseInt(std::string_view text);
std::optional<double> ParseDouble(std::string_view text);

// "90", "90s", "15m", "1.5h", "1d12h", "250ms" and "01:30:00" as milliseconds, at most a century;
// kInvalid names what was found.
Result<int64_t> ParseDuration(std::string_view text);
// "512", "64KiB", "1.5GB", "4G" as bytes (KB = 1000, K and KiB = 1024).
Result<int64_t> ParseSize(std::string_view text);
std::string HumanDuration(int64_t ms);  // "1h 02m", "3m 05s", "4.2s", "180ms"
std::string HumanSize(int64_t bytes);   // "1.5 GiB", "12 KiB", "7 B"
std::string WallTime(int64_t wall_ms);  // local "2026-01-31 14:05:09"
std::string IsoTime(int64_t wall_ms);   // UTC "2026-01-31T14:05:09.123Z"

// The candidate closest to `word` when it is close enough to be a slip of the finger, else empty.
std::string_view DidYouMean(std::string_view word, std::span<const std::string_view> candidates);

// Words by the quoting rules of a POSIX shell, without expansion; kInvalid on an open quote.
Result<std::vector<std::string>> ShellSplit(std::string_view text);
// True when only a shell can run this text: operators, expansions, globs or assignments in front.
bool NeedsShell(std::string_view text);
std::string ShellQuote(std::string_view word);
std::string ShellJoin(std::span<const std::string> words);

}  // namespace muster
