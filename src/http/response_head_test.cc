#include "http/response_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::http {
namespace {

using testing::HasSubstr;
using testing::Not;

class HeadWriterTest : public testing::Test {
 protected:
  FakeClock clock_;
  HeadWriter writer_{clock_};
};

TEST_F(HeadWriterTest, HasTheDefaultHeaders) {
  EXPECT_EQ(writer_.Write({200, {{"Content-Type", "text/plain"}}, "abc"}, Framing::kLength, true),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\n"
            "X-Content-Type-Options: nosniff\r\nDate: Tue, 14 Nov 2023 22:13:20 GMT\r\n"
            "Server: muster\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\n");
}

TEST_F(HeadWriterTest, DateFollowsTheClock) {
  writer_.Write({}, Framing::kNone, true);
  clock_.Advance(61'000);
  EXPECT_THAT(writer_.Write({}, Framing::kNone, true),
              HasSubstr("Date: Tue, 14 Nov 2023 22:14:21 GMT"));
}

TEST_F(HeadWriterTest, FramingHeadersOfHandlersAreRemoved) {
  const std::string head = writer_.Write(
      {200, {{"content-length", "99"}, {"Transfer-Encoding", "x"}, {"Connection", "x"}}, "abc"},
      Framing::kChunked, false);
  EXPECT_THAT(head, Not(HasSubstr("99")));
  EXPECT_THAT(head, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(head, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Content-Length")));
}

TEST_F(HeadWriterTest, HandlersMayChooseCaching) {
  const std::string head =
      writer_.Write({200, {{"cache-control", "max-age=60"}}, {}}, Framing::kLength, true);
  EXPECT_THAT(head, HasSubstr("max-age=60"));
  EXPECT_THAT(head, Not(HasSubstr("no-store")));
}

TEST_F(HeadWriterTest, EmptyValueRemovesTheHeader) {
  const std::string head =
      writer_.Write({200, {{"cache-control", ""}, {"X-Empty", ""}}, {}}, Framing::kLength, true);
  EXPECT_EQ(head.find("ache-"), std::string::npos);
  EXPECT_NE(head.find("X-Empty: \r\n"), std::string::npos);
}

TEST_F(HeadWriterTest, ValuesCannotInjectHeaders) {
  const std::string head =
      writer_.Write({200, {{"X-Name", "a\r\nSet-Cookie: b"}, {"Bad\r\nName", "c"}, {"", "d"}}, {}},
                    Framing::kLength, true);
  EXPECT_THAT(head, HasSubstr("X-Name: a  Set-Cookie: b\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Bad")));
}

TEST_F(HeadWriterTest, UnknownStatusHasAReasonPhrase) {
  EXPECT_THAT(writer_.Write({299, {}, {}}, Framing::kLength, true),
              testing::StartsWith("HTTP/1.1 299 Status\r\n"));
}

}  // namespace
}  // namespace muster::http
