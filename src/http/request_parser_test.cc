#include "http/request_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::http {
namespace {

// The result of parsing `bytes` in pieces of `size`: the status of the refusal, or 0.
struct Parsed {
  Request request;
  int refused = 0;
  bool done = false;
  size_t left = 0;  // bytes after the request
};

Parsed Parse(std::string_view bytes, size_t size, int64_t max_header = 4096) {
  Parsed parsed;
  RequestParser parser(max_header, parsed.request);
  const RequestParser::Taker take = [&](std::string_view piece) -> Status {
    parsed.request.body += piece;
    return {};
  };
  std::string held;
  for (size_t at = 0; at < bytes.size(); at += size) {
    held += bytes.substr(at, size);
    while (!held.empty() && !parser.done()) {
      auto used = parser.head_done() ? parser.Body(held, take) : parser.Head(held);
      if (!used) {
        parsed.refused = used.error().status;
        parsed.done = parser.done();
        return parsed;
      }
      held.erase(0, *used);
      if (*used == 0) break;
    }
  }
  parsed.done = parser.done();
  parsed.left = held.size();
  return parsed;
}

TEST(RequestParser, ResultDoesNotDependOnThePieces) {
  const std::string_view text =
      "\r\nPOST /a?b HTTP/1.1\r\nHost: x\r\nA: 1\r\nA:2  \r\nTransfer-Encoding: chunked\r\n\r\n"
      "4;x=y\r\nWiki\r\n10\r\n0123456789abcdef\r\n0\r\nTrailer: t\r\n\r\nGET";
  for (size_t size = 1; size <= text.size(); ++size) {
    const Parsed parsed = Parse(text, size);
    ASSERT_EQ(parsed.refused, 0) << size;
    EXPECT_TRUE(parsed.done);
    EXPECT_EQ(parsed.request.method, "POST");
    EXPECT_EQ(parsed.request.raw_target, "/a?b");
    EXPECT_EQ(parsed.request.body, "Wiki0123456789abcdef");
    EXPECT_EQ(parsed.request.headers.size(), 4u);
    EXPECT_EQ(parsed.left, 3u);
  }
}

TEST(RequestParser, BodyEndsByItsLength) {
  const Parsed parsed = Parse("PUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET", 5);
  EXPECT_TRUE(parsed.done);
  EXPECT_EQ(parsed.request.body, "abc");
  EXPECT_EQ(parsed.left, 3u);
}

TEST(RequestParser, RefusesInvalidRequests) {
  for (const std::string_view text :
       {"GET\r\n\r\n",
        "GET /\r\n\r\n",

        "GET / HTTP/2.0\r\n\r\n",
        "GET / HTTP/1.2\r\n\r\n",
        "G@T / HTTP/1.1\r\n\r\n",
        " GET / HTTP/1.1\r\n\r\n",
        "GET  / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1 \r\n\r\n",
        "GET /a b HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nA b: c\r\n\r\n",
        "GET / HTTP/1.1\r\nA : c\r\n\r\n",
        "GET / HTTP/1.1\r\n: c\r\n\r\n",
        "GET / HTTP/1.1\r\nA: b\x01\r\n\r\n",
        "GET / HTTP/1.1\r\nA\r\n\r\n",
        "\x16\x03\x01\x02",
        "GET / HTTP/1.1\r\nA: b\rc\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1x\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length:\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 18446744073709551616\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 9223372036854775808\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
        "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    EXPECT_EQ(Parse(text, text.size()).refused, 400) << text;
    EXPECT_EQ(Parse(text, 1).refused, 400) << text;
  }
}

TEST(RequestParser, RefusesOtherTransferEncodings) {
  for (const char* coding :
       {"gzip", "gzip, chunked", "chunked, gzip", "identity", "", "xchunked"}) {
    const std::string text =
        std::string("GET / HTTP/1.1\r\nTransfer-Encoding: ") + coding + "\r\n\r\n";
    EXPECT_EQ(Parse(text, text.size()).refused, 501) << coding;
  }
}

TEST(RequestParser, RefusesBadChunking) {
  for (const std::string_view body :
       {"x\r\n", "-1\r\nab\r\n", "\r\n\r\n", "2\r\nabc\r\n", "2\nab\n0\n\n",
        "fffffffffffffffff\r\n", "2 \r\nab\r\n0\r\n\r\n", "0x2\r\nab\r\n", "2\r\nab0\r\n\r\n",
        "0\r\nA: b\n\r\n", "2;a\nb\r\nab\r\n", "0\r\n\rx"}) {
    const std::string text =
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(body);
    const Parsed parsed = Parse(text, text.size());
    EXPECT_EQ(parsed.refused, 400) << body;
    EXPECT_EQ(Parse(text, 1).refused, 400) << body;
  }
}

TEST(RequestParser, RefusesAnEndlessChunkHeader) {
  const std::string text =
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;x=" + std::string(40'000, 'y');
  EXPECT_EQ(Parse(text, 1000).refused, 400);
  const std::string trailer =
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: " + std::string(40'000, 'y');
  EXPECT_EQ(Parse(trailer, 1000).refused, 400);
}

TEST(RequestParser, LimitsTheHeadForAnyPieces) {
  const std::string one = "GET / HTTP/1.1\r\nA: " + std::string(5000, 'a') + "\r\n\r\n";
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 100; ++i) many += "A: " + std::string(50, 'a') + "\r\n";
  const std::string target = "GET /" + std::string(5000, 'a');
  std::string blank;
  for (int i = 0; i < 5000; ++i) blank += "\r\n";
  for (const std::string& text : {one, many, target, blank}) {
    for (const size_t size : {size_t{1}, size_t{2}, size_t{55}, text.size()}) {
      EXPECT_EQ(Parse(text, size).refused, 431) << text.substr(0, 30) << " in " << size;
    }
  }
}

// The last piece may contain both the end of a head and the byte that exceeds the limit.
TEST(RequestParser, RefusedHeadIsNotARequest) {
  for (const std::string_view text : {"GET / HTTP/1.1\r\nA: 123456789\r\n\r\n",
                                      "GET / HTTP/1.0\r\nTransfer-Encoding: x\r\n\r\n"}) {
    for (size_t size = 1; size <= text.size(); ++size) {
      const Parsed parsed = Parse(text, size, text.size() - 1);
      EXPECT_NE(parsed.refused, 0) << size;
      EXPECT_FALSE(parsed.done) << size;
    }
  }
}

TEST(RequestParser, LimitsTheNumberOfFields) {
  std::string text = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 129; ++i) text += "A:b\r\n";
  EXPECT_EQ(Parse(text + "\r\n", 1 << 20).refused, 431);
}

TEST(RequestParser, TrailersDoNotBecomeHeaders) {
  const Parsed parsed = Parse(
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nAuthorization: x\r\n\r\n", 1000);
  EXPECT_TRUE(parsed.done);
  EXPECT_EQ(FindHeader(parsed.request.headers, "Authorization"), "");
}

TEST(RequestParser, ErrorOfTheTakerIsTheResponse) {
  Request request;
  RequestParser parser(4096, request);
  const std::string_view head = "PUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\n";
  ASSERT_EQ(parser.Head(head).value(), head.size());
  const auto refused =
      parser.Body("abc", [](std::string_view) -> Status { return Fail(Code::kNoSpace, "full"); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, 507);
}

TEST(RequestParser, RepeatedAuthorizationHeaderIsRefused) {
  const std::string head = "GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\n";
  for (const char* second : {"Authorization: Bearer a\r\n", "authorization: Basic b\r\n"}) {
    const std::string text = head + second + "\r\n";
    EXPECT_EQ(Parse(text, text.size()).refused, 400) << second;
    EXPECT_EQ(Parse(text, 1).refused, 400) << second;
  }
  EXPECT_EQ(Parse(head + "X-Authorization: c\r\n\r\n", 1).refused, 0);
}

}  // namespace
}  // namespace muster::http
