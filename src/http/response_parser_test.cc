#include "http/response_parser.h"

#include <gmock/gmock.h>

namespace muster::http {
namespace {

struct Parsed {
  std::string body;
  std::string rest;  // bytes behind the response
  int status = 0;
  bool done = false;
  bool failed = false;
};

Parsed Parse(std::string_view bytes, bool head_only = false) {
  ResponseParser parser(head_only);
  Parsed parsed;
  while (!bytes.empty() && !parser.done()) {
    const auto used = parser.Feed(bytes, [&](std::string_view piece) {
      parsed.body += piece;
      return true;
    });
    parsed.failed = !used;
    if (!used || *used == 0) break;
    bytes.remove_prefix(*used);
  }
  parsed.rest = bytes;
  parsed.done = parser.done();
  parsed.status = parser.response().status;
  return parsed;
}

const std::string kNext = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

TEST(ResponseParser, NoContentAndNotModifiedHaveNoBodyWhateverTheirLength) {
  for (const std::string status : {"204 No Content", "304 Not Modified"}) {
    for (const std::string framing :
         {"", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"}) {
      const Parsed parsed = Parse("HTTP/1.1 " + status + "\r\n" + framing + "\r\n" + kNext);
      EXPECT_TRUE(parsed.done) << status << framing;
      EXPECT_EQ(parsed.body, "");
      EXPECT_EQ(parsed.rest, kNext) << status << framing;
    }
  }
}

TEST(ResponseParser, NeighboursOfTheseStatusesHaveABody) {
  for (const std::string status : {"200 OK", "203 x", "205 x", "303 x", "305 x", "404 x"}) {
    const Parsed parsed =
        Parse("HTTP/1.1 " + status + "\r\nContent-Length: 5\r\n\r\nhello" + kNext);
    EXPECT_EQ(parsed.body, "hello") << status;
    EXPECT_EQ(parsed.rest, kNext) << status;
  }
}

TEST(ResponseParser, AnswerToHeadHasNoBody) {
  const Parsed parsed = Parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + kNext, true);
  EXPECT_TRUE(parsed.done);
  EXPECT_EQ(parsed.rest, kNext);
}

TEST(ResponseParser, InterimAnswersAreSkipped) {
  const Parsed parsed = Parse(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
      "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok");
  EXPECT_EQ(parsed.status, 201);
  EXPECT_EQ(parsed.body, "ok");
}

TEST(ResponseParser, BodyWithoutALengthEndsWithTheConnection) {
  ResponseParser parser(false);
  const std::string_view head = "HTTP/1.1 200 OK\r\n\r\n";
  ASSERT_EQ(parser.Feed(head, [](std::string_view) { return true; }).value(), head.size());
  EXPECT_FALSE(parser.done());
  EXPECT_TRUE(parser.End());
  EXPECT_FALSE(parser.keep_alive());
}

TEST(ResponseParser, BodyThatEndsEarlyIsAnError) {
  ResponseParser parser(false);
  ASSERT_TRUE(parser.Feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
                          [](std::string_view) { return true; }));
  EXPECT_EQ(parser.End().error().code, Code::kUnavailable);
}

TEST(ResponseParser, LengthBeyond64BitsIsRefused) {
  EXPECT_FALSE(Parse("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n").failed);
  EXPECT_TRUE(Parse("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\n").failed);
}

}  // namespace
}  // namespace muster::http
