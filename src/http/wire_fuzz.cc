// Small HTTP parsers of both sides: event streams, targets and addresses, responses, and the gate.
#include <vector>

#include "base/testing/fuzz.h"
#include "base/text.h"
#include "http/client.h"
#include "http/gate.h"
#include "http/response_parser.h"
#include "http/target.h"
#include "http/url.h"

namespace {

using namespace muster;
using namespace muster::http;

std::vector<std::string> Events(std::string_view text, size_t piece) {
  std::vector<std::string> events;
  SseParser parser;
  for (size_t i = 0; i < text.size(); i += piece) {
    parser.Feed(text.substr(i, piece), [&](const SseEvent& event) {
      events.push_back(event.event + "\n" + event.id + "\n" + event.data);
    });
  }
  return events;
}

// The division into pieces must not change the events.
void CheckEvents(std::string_view text) {
  if (text.size() < 2) return;
  const size_t piece = uint8_t(text[0]) % 16 + 1;
  text.remove_prefix(1);
  Require(Events(text, text.size()) == Events(text, piece));
}

// An accepted target must be safe to route: no "..", no control characters, and encoding its path
// again yields the same path.
void CheckTarget(std::string_view text) {
  (void)ParseUrl(text);
  if (const auto decoded = UrlDecode(text)) Require(UrlDecode(UrlEncode(*decoded)) == *decoded);
  const auto target = ParseTarget(text);
  if (!target) return;
  const std::string path = target->path + "/";
  Require(path[0] == '/');
  for (const char* unsafe : {"/../", "/./", "//"}) {
    Require(target->path.find(unsafe) == std::string::npos);
  }
  Require(path.find("/../") == std::string::npos && path.find("/./") == std::string::npos);
  Require(path.find('\0') == std::string::npos);
}

struct Answer {
  bool refused = false, done = false;
  int status = 0;
  size_t headers = 0;
  std::string body;
  bool operator==(const Answer&) const = default;
};

Answer ReadAnswer(std::string_view bytes, size_t piece, bool head_only) {
  Answer answer;
  ResponseParser parser(head_only);
  std::string held;
  while (!parser.done() && !bytes.empty()) {
    held += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (size_t used = 1; used > 0 && !held.empty() && !parser.done();) {
      const auto took = parser.Feed(held, [&](std::string_view part) {
        answer.body += part;
        return true;
      });
      if (!took) {
        answer.refused = true;
        return answer;
      }
      used = *took;
      Require(used <= held.size());
      held.erase(0, used);
    }
  }
  answer.done = parser.done();
  if (parser.head_done()) {
    answer.status = parser.response().status;
    answer.headers = parser.response().headers.size();
  }
  return answer;
}

// A server may divide its bytes in any way; the response must be the same.
void CheckAnswer(std::string_view text) {
  if (text.size() < 2) return;
  const size_t piece = uint8_t(text[0]) % 8 + 1;
  const bool head_only = uint8_t(text[0]) >= 128;
  text.remove_prefix(1);
  const Answer whole = ReadAnswer(text, text.size(), head_only);
  const Answer cut = ReadAnswer(text, piece, head_only);
  Require(whole.done == cut.done);
  Require(!whole.done || whole == cut);
}

// Only the token grants access, whatever surrounds it; a loopback server accepts no foreign host
// name.
void CheckGate(std::string_view text) {
  static const Gate gate("s3cret", true);
  if (gate.TokenMatches(text)) Require(text.find("s3cret") != std::string_view::npos);
  if (gate.HostAllowed(text)) {
    Require(text.empty() || text.find("127.") != std::string_view::npos ||
            text.find("::1") != std::string_view::npos ||
            Lower(text).find("localhost") != std::string::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto [which, text] = Choose(data, size, 4);
  switch (which) {
    case 0:
      CheckEvents(text);
      break;
    case 1:
      CheckTarget(text);
      break;
    case 2:
      CheckAnswer(text);
      break;
    case 3:
      CheckGate(text);
      break;
  }
  return 0;
}
