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
// Equal after Lower, without allocating; for comparisons on every request.
bool SameWord(std::string_view a, std::string_view b);
bool BeginsWithWord(std::string_view text, std::string_view word);

bool IsUtf8(std::string_view text);
// Replaces each invalid byte sequence by one U+FFFD.
std::string CleanUtf8(std::string_view text);
// CleanUtf8, and removes control characters and escape sequences, so that untrusted text is safe on
// a terminal. Tabs are kept and newlines become blanks: the result is one line.
std::string Printable(std::string_view text);
// The width of valid UTF-8 on a terminal in columns: wide CJK characters count two, combining marks
// none.
int DisplayWidth(std::string_view text);

// The whole text as a number. Nothing for blanks, a leading '+', overflow, nan or inf.
std::optional<int64_t> ParseInt(std::string_view text);
std::optional<double> ParseDouble(std::string_view text);

// Milliseconds for "90", "90s", "15m", "1.5h", "1d12h", "250ms" and "01:30:00", at most a century;
// kInvalid names the text.
Result<int64_t> ParseDuration(std::string_view text);
// "512", "64KiB", "1.5GB", "4G" as bytes (KB = 1000, K and KiB = 1024).
Result<int64_t> ParseSize(std::string_view text);
std::string HumanDuration(int64_t ms);  // "1h 02m", "3m 05s", "4.2s", "180ms"
std::string HumanSize(int64_t bytes);   // "1.5 GiB", "12 KiB", "7 B"
std::string WallTime(int64_t wall_ms);  // local "2026-01-31 14:05:09"
std::string IsoTime(int64_t wall_ms);   // UTC "2026-01-31T14:05:09.123Z"

// The candidate that is closest to `word` if it is close enough for a typing error, else empty.
std::string_view DidYouMean(std::string_view word, std::span<const std::string_view> candidates);

// Splits by the quoting rules of a POSIX shell, without expansion; kInvalid for an open quote.
Result<std::vector<std::string>> ShellSplit(std::string_view text);
// Whether only a shell can execute the text: operators, expansions, globs or leading assignments.
bool NeedsShell(std::string_view text);
std::string ShellQuote(std::string_view word);
std::string ShellJoin(std::span<const std::string> words);

}  // namespace muster
