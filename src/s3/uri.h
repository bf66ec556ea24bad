#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::s3 {

// Percent-encoding that leaves A-Z a-z 0-9 - _ . ~ alone, and '/' where asked.
std::string UriEncode(std::string_view text, bool keep_slash);
// Nothing when an escape is broken.
std::optional<std::string> UriDecode(std::string_view text, bool plus_is_blank);

}  // namespace muster::s3
