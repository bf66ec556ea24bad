#include <cstdlib>
#include <string_view>

#include "http/request_parser.h"

namespace {

struct Seen {
  int refused = 0;
  bool done = false;
  std::string method, target, body;
  size_t headers = 0;
  bool operator==(const Seen&) const = default;
};

// Parses consecutive requests as a session does.
std::vector<Seen> Read(std::string_view bytes, size_t piece) {
  using namespace muster::http;
  std::vector<Seen> all;
  std::string held;
  while (true) {
    Request request;
    RequestParser parser(1024, request);
    Seen seen;
    const RequestParser::Taker take = [&](std::string_view part) -> muster::Status {
      seen.body += part;
      return {};
    };
    bool more = true;
    while (more && seen.refused == 0 && !parser.done()) {
      size_t progress = 0;
      if (!held.empty()) {
        const auto used = parser.head_done() ? parser.Body(held, take) : parser.Head(held);
        if (!used) seen.refused = used.error().status;
        progress = used.value_or(0);
        held.erase(0, progress);
      }
      if (progress > 0) continue;
      more = !bytes.empty();
      held += bytes.substr(0, piece);
      bytes.remove_prefix(std::min(piece, bytes.size()));
    }
    seen.done = parser.done();
    seen.method = request.method;
    seen.target = request.raw_target;
    seen.headers = request.headers.size();
    all.push_back(seen);
    if (!seen.done || seen.refused != 0) return all;
  }
}

}  // namespace

// However the bytes are divided, the parser must find the same requests: a difference would allow
// request smuggling.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = Read(text, text.size());
  const auto cut = Read(text, data[0] % 8 + 1);
  for (size_t i = 0; i < whole.size() && i < cut.size(); ++i) {
    if (whole[i].done != cut[i].done || (whole[i].done && !(whole[i] == cut[i]))) std::abort();
  }
  return 0;
}
