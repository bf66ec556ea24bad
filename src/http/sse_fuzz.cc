#include <cstdlib>
#include <string_view>
#include <vector>

#include "http/client.h"

namespace {

std::vector<std::string> Events(std::string_view text, size_t piece) {
  std::vector<std::string> events;
  muster::http::SseParser parser;
  for (size_t i = 0; i < text.size(); i += piece) {
    parser.Feed(text.substr(i, piece), [&](const muster::http::SseEvent& event) {
      events.push_back(event.event + "\n" + event.id + "\n" + event.data);
    });
  }
  return events;
}

}  // namespace

// The cutting into chunks must not change the events.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (Events(text, text.size()) != Events(text, data[0] % 16 + 1)) std::abort();
  return 0;
}
