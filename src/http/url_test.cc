#include "http/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/client.h"
#include "http/target.h"

namespace muster::http {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(UrlEncode, KeepsUnreservedAndEncodesOtherBytes) {
  EXPECT_EQ(UrlEncode("aZ09-_.~"), "aZ09-_.~");
  EXPECT_EQ(UrlEncode("a b/ä%\n"), "a%20b%2F%C3%A4%25%0A");
}

TEST(UrlDecode, IsTheInverse) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(UrlDecode(UrlEncode(all)).value(), all);
}

TEST(UrlDecode, RejectsBrokenEscapes) {
  for (const char* text : {"%", "%4", "a%4", "%g0", "%0g", "%%41", "%-1", "%+1", "% 1"}) {
    const auto decoded = UrlDecode(text);
    ASSERT_FALSE(decoded) << text;
    EXPECT_EQ(decoded.error().code, Code::kInvalid);
  }
}

TEST(ParseUrl, AcceptsHostAndPort) {
  const Url plain = ParseUrl("http://127.0.0.1:4711").value();
  EXPECT_FALSE(plain.tls);
  EXPECT_EQ(plain.host, "127.0.0.1");
  EXPECT_EQ(plain.port, 4711);
  const Url secure = ParseUrl("https://[::1]:8443/").value();
  EXPECT_TRUE(secure.tls);
  EXPECT_EQ(secure.host, "::1");
  EXPECT_EQ(secure.port, 8443);
  EXPECT_EQ(ParseUrl("https://example.org").value().port, 443);
  EXPECT_EQ(ParseUrl("http://example.org").value().port, 80);
}

TEST(ParseUrl, RejectsInvalidAddresses) {
  for (const char* text :
       {"", "localhost:80", "ftp://x", "http://", "http://:80", "http://h:0", "http://h:65536",
        "http://h:", "http://h:8x", "http://u@h", "http://h/path", "http://h?q", "http://[::1",
        "http://[::1]x", "http://a b", "http://a\nb", "http://h:-1", "http://[]:80"}) {
    const auto url = ParseUrl(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code, Code::kInvalid);
    EXPECT_FALSE(url.error().next.empty());
  }
}

TEST(HostPort, PutsIpv6InBrackets) {
  EXPECT_EQ(HostPort("::1", 80), "[::1]:80");
  EXPECT_EQ(HostPort("a", 80), "a:80");
}

TEST(ParseTarget, DecodesPathAndQuery) {
  const Target target = ParseTarget("/a%20b/%E4%BD%A0?x=1&y=a+b%2B&flag&&e=").value();
  EXPECT_EQ(target.path, "/a b/你");
  EXPECT_THAT(target.query,
              ElementsAre(Pair("x", "1"), Pair("y", "a b+"), Pair("flag", ""), Pair("e", "")));
  EXPECT_EQ(target.authority, "");
}

TEST(ParseTarget, KeepsAPlusInThePath) { EXPECT_EQ(ParseTarget("/a+b").value().path, "/a+b"); }

TEST(ParseTarget, AcceptsTheAbsoluteForm) {
  const Target target = ParseTarget("HTTP://localhost:80/a?b=c").value();
  EXPECT_EQ(target.authority, "localhost:80");
  EXPECT_EQ(target.path, "/a");
  EXPECT_EQ(ParseTarget("http://h?x=1").value().path, "/");
  EXPECT_EQ(ParseTarget("http://h").value().path, "/");
}

TEST(ParseTarget, AcceptsOneTrailingSlash) { EXPECT_EQ(ParseTarget("/a/").value().path, "/a/"); }

TEST(ParseTarget, RejectsAmbiguousTargets) {
  const std::string nul("/a\0b", 4);
  for (const std::string& raw : std::vector<std::string>{"",
                                                         "a",
                                                         "*",
                                                         "example.org:443",
                                                         "//",
                                                         "//a",
                                                         "/a//b",
                                                         "/a//",
                                                         "/..",
                                                         "/../a",
                                                         "/a/..",
                                                         "/a/../b",
                                                         "/.",
                                                         "/a/./b",
                                                         "/%2e%2e/a",
                                                         "/a/%2E%2e",
                                                         "/a%2F..%2Fb",
                                                         "/%2F",
                                                         "/a%00",
                                                         "/a%0A",
                                                         "/a%7f",
                                                         nul,
                                                         "/a\tb",
                                                         "/\xff",
                                                         "/%ff",
                                                         "/%C0%AF",
                                                         "/%",
                                                         "/%4",
                                                         "/a?x=%",
                                                         "/a?%ff=1",
                                                         "/a?x=%00",
                                                         "/a#b",
                                                         "/a?b#c",
                                                         "http:///a//b"}) {
    const auto target = ParseTarget(raw);
    ASSERT_FALSE(target) << raw;
    EXPECT_EQ(target.error().code, Code::kInvalid);
  }
}

TEST(ParseTarget, AcceptsDotsInsideComponents) {
  for (const char* raw : {"/...", "/a..b", "/..a", "/.hidden", "/a.", "/v1.2/x"}) {
    EXPECT_TRUE(ParseTarget(raw)) << raw;
  }
}

TEST(HostHeader, OmitsTheDefaultPort) {
  EXPECT_EQ(HostHeader(ParseUrl("http://a.b").value()), "a.b");
  EXPECT_EQ(HostHeader(ParseUrl("https://a.b:443").value()), "a.b");
  EXPECT_EQ(HostHeader(ParseUrl("https://a.b:80").value()), "a.b:80");
  EXPECT_EQ(HostHeader(ParseUrl("http://[::1]").value()), "[::1]");
}

}  // namespace
}  // namespace muster::http
