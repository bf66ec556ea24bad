#include "s3/uri.h"

#include <gmock/gmock.h>

namespace muster::s3 {
namespace {

TEST(Uri, EncodesAllReservedBytes) {
  EXPECT_EQ(UriEncode("aZ09-_.~/", true), "aZ09-_.~/");
  EXPECT_EQ(UriEncode("a/b +%\xc3\xa9", false), "a%2Fb%20%2B%25%C3%A9");
}

TEST(Uri, RoundTrips) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(UriDecode(UriEncode(all, false), true), all);
}

TEST(Uri, PlusIsABlankOnlyInAQuery) {
  EXPECT_EQ(UriDecode("a+b", true), "a b");
  EXPECT_EQ(UriDecode("a+b", false), "a+b");
}

TEST(Uri, BrokenEscapeIsRejected) {
  for (const char* text : {"%", "%4", "a%zz", "%4g"}) EXPECT_FALSE(UriDecode(text, false)) << text;
}

}  // namespace
}  // namespace muster::s3
