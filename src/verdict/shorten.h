#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::verdict {

// Only this many bytes of a log line are examined.
inline constexpr size_t kLongestLine = 4096;

// A printable form of at most `limit` bytes, cut between characters.
std::string ShortenLine(std::string_view line, size_t limit = 300);

}  // namespace muster::verdict
