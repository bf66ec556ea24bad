#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::s3 {

// Percent-encoding of all bytes except A-Z a-z 0-9 - _ . ~, and optionally '/'.
std::string UriEncode(std::string_view text, bool keep_slash);
// Nothing for a broken escape.
std::optional<std::string> UriDecode(std::string_view text, bool plus_is_blank);

}  // namespace muster::s3
