#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::s3 {

// Time formats of headers and documents. All times are milliseconds since 1970.
std::string HttpDate(int64_t wall_ms);                        // "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<int64_t> ParseHttpDate(std::string_view text);  // that format, or with "+0000"
std::string CompactDate(int64_t wall_ms);                     // "19941106T084937Z"
std::optional<int64_t> ParseCompactDate(std::string_view text);
std::optional<int64_t> ParseIsoDate(std::string_view text);  // "1994-11-06T08:49:37[.123]Z"

}  // namespace muster::s3
