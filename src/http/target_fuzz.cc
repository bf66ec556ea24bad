#include <cstdlib>
#include <string_view>

#include "http/client.h"
#include "http/target.h"
#include "http/url.h"

// A target that is taken must be safe to route: no way up, no control characters, and encoding its
// path again must give the same path.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace muster::http;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)ParseUrl(text);
  if (const auto decoded = UrlDecode(text); decoded && UrlDecode(UrlEncode(*decoded)) != *decoded) {
    std::abort();
  }
  const auto target = ParseTarget(text);
  if (!target) return 0;
  const std::string path = target->path + "/";
  const bool unsafe = path[0] != '/' || path.find("/../") != std::string::npos ||
                      path.find("/./") != std::string::npos ||
                      target->path.find("//") != std::string::npos ||
                      path.find('\0') != std::string::npos;
  if (unsafe) std::abort();
  return 0;
}
