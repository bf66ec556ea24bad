// libFuzzer: arbitrary target and headers through parsing, routing and all signature forms.
#include <cstdlib>

#include "base/text.h"
#include "objects/authenticate.h"
#include "objects/body_check.h"
#include "objects/conditions.h"
#include "objects/key_path.h"
#include "objects/object_headers.h"
#include "objects/operations.h"
#include "objects/sample_requests.h"

namespace muster::objects {
namespace {

void TryOne(std::string_view text) {
  static SampleRing ring;
  http::Request head;
  const auto lines = Split(text, '\n');
  const auto first = Split(lines[0], ' ');
  head.method = first[0];
  head.raw_target = first.size() > 1 ? first[1] : "/";
  for (size_t i = 1; i < lines.size() && i < 64; ++i) {
    const size_t colon = std::min(lines[i].find(':'), lines[i].size());
    head.headers.emplace_back(lines[i].substr(0, colon),
                              lines[i].substr(std::min(colon + 1, lines[i].size())));
  }
  const std::string domains[] = {"localhost"};
  const auto request = ReadRequest(head, {}, domains);
  if (!request) return;
  const std::string path = PathOfKey(request->key);
  for (const std::string& name : Split(path, '/')) {
    if (name.empty() || name == "." || name == ".." || name.size() > 255) std::abort();
  }
  (void)FindOperation(*request);
  (void)MetaOfRequest(*request);
  (void)CheckRead(*request, {});
  (void)ReadRange(request->Header("Range"), 1000);
  const auto caller = Authenticate(*request, *ring, 1'369'353'600'000);
  (void)BodyCheck::Make(*request, caller ? *caller : Caller());
}

}  // namespace
}  // namespace muster::objects

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  muster::objects::TryOne({reinterpret_cast<const char*>(data), size});
  return 0;
}
