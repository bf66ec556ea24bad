#include "api/console/download.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::api {
namespace {

// "a%20b": no name can end its header.
std::string Encoded(std::string_view name) {
  std::string encoded;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

}  // namespace

http::Response DownloadHead(std::string_view name, int64_t size) {
  return {200,
          {{"Content-Type", "application/octet-stream"},
           {"Content-Disposition", fmt::format("attachment; filename*=UTF-8''{}",
                                               Encoded(name.substr(name.rfind('/') + 1)))},
           {"Content-Security-Policy", "sandbox; default-src 'none'"},
           {"X-Muster-Size", std::to_string(size)}},
          {}};
}

int64_t DownloadLength(const http::Request& request, int64_t size) {
  const auto limit = ParseInt(request.Query("limit").value_or(""));
  return limit && *limit >= 0 ? std::min(*limit, size) : size;
}

}  // namespace muster::api
