#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace muster::http {

// A parsed and decoded request target.
struct Target {
  std::string authority;  // of "http://authority/path"; empty for the usual "/path"
  std::string path;  // begins with '/', has no empty, "." or ".." component before its last '/'
  std::vector<std::pair<std::string, std::string>> query;
};

// Fails with kInvalid for ambiguous targets: broken escapes, control characters including NUL,
// invalid UTF-8, "//", "." and ".." components, a fragment.
Result<Target> ParseTarget(std::string_view raw);

}  // namespace muster::http
