#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/client.h"

namespace muster::http {
namespace {

// The events as "event|id|data", with the text divided into pieces of `size`.
std::vector<std::string> Parse(std::string_view text, size_t size) {
  std::vector<std::string> events;
  SseParser parser;
  for (size_t i = 0; i < text.size(); i += size) {
    parser.Feed(text.substr(i, size), [&](const SseEvent& event) {
      events.push_back(event.event + "|" + event.id + "|" + event.data);
    });
  }
  return events;
}

struct Case {
  std::string_view text;
  std::vector<std::string> events;
};

TEST(SseParser, EventsDoNotDependOnTheChunks) {
  const Case cases[] = {
      {"id: 1;0:18\nevent: log\ndata: {\"a\":1}\n\n", {"log|1;0:18|{\"a\":1}"}},
      {"data: a\ndata:b\ndata\n\n", {"message||a\nb\n"}},
      {"data: a\r\n\r\ndata: b\r\rdata: c\n\n", {"message||a", "message||b", "message||c"}},
      {": keep-alive\n\ndata: x\n\n", {"message||x"}},
      {"event: state\n\ndata: x\n\n", {"message||x"}},
      {"id: 7\ndata: a\n\ndata: b\n\n", {"message|7|a", "message|7|b"}},
      {"data:  two blanks\nretry: 5\nunknown: x\n\n", {"message|| two blanks"}},
      {"\xEF\xBB\xBF"
       "data: a\n\n",
       {"message||a"}},
      {"data: not whole", {}},
      {"data\n\n", {"message||"}},
      {"\n\n\n", {}},
      {"event:\ndata: x\n\n", {"message||x"}},
  };
  for (const Case& c : cases) {
    for (size_t size = 1; size <= c.text.size(); ++size) {
      EXPECT_EQ(Parse(c.text, size), c.events) << c.text << " in pieces of " << size;
    }
  }
}

TEST(SseParser, IdWithNulIsIgnored) {
  const std::string text("id: a\0b\ndata: x\n\n", 17);
  EXPECT_THAT(Parse(text, 100), testing::ElementsAre("message||x"));
}

TEST(SseParser, EventAboveTheLimitIsDropped) {
  const std::string large = "data: " + std::string(17 << 20, 'x');
  EXPECT_THAT(Parse(large + "\n\ndata: next\n\n", 1 << 20), testing::ElementsAre("message||next"));
  const std::string line = "data: " + std::string(1 << 20, 'x') + "\n";
  std::string lines;
  for (int i = 0; i < 17; ++i) lines += line;
  EXPECT_THAT(Parse(lines + "\ndata: next\n\n", 1 << 20), testing::ElementsAre("message||next"));
}

}  // namespace
}  // namespace muster::http
