#include "transfer/signer.h"

#include <gmock/gmock.h>

#include "s3/time_text.h"

namespace muster::transfer {
namespace {

using testing::HasSubstr;
using testing::Not;

// The account and the requests in the documentation of signature version 4.
Profile Sample() {
  return {.name = "x",
          .endpoint = "https://s3.amazonaws.com",
          .region = "us-east-1",
          .path_style = false,
          .access_key = "AKIAIOSFODNN7EXAMPLE",
          .secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
}
const int64_t kThen = *s3::ParseCompactDate("20130524T000000Z");

TEST(Signer, DocumentedPresignedUrlIsReproduced) {
  const Profile profile = Sample();
  const std::string url = Signer().Presign(profile, AddressOf(profile, "examplebucket", "test.txt"),
                                           "GET", {}, 86400, kThen);
  EXPECT_THAT(url, HasSubstr("https://examplebucket.s3.amazonaws.com/test.txt?"));
  EXPECT_THAT(url, HasSubstr("X-Amz-Signature="
                             "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"));
  EXPECT_THAT(url, Not(HasSubstr("EXAMPLEKEY")));
}

TEST(Signer, DocumentedListingSignatureIsReproduced) {
  const Profile profile = Sample();
  http::Headers headers;
  Signer().Sign(profile, AddressOf(profile, "examplebucket", ""), "GET",
                {{"max-keys", "2"}, {"prefix", "J"}},
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", kThen, headers);
  EXPECT_THAT(
      http::FindHeader(headers, "Authorization"),
      HasSubstr("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(Signer, SessionTokenIsSentAndSigned) {
  Profile profile = Sample();
  profile.session_token = "token";
  http::Headers headers;
  Signer().Sign(profile, AddressOf(profile, "b", "k"), "GET", {}, "UNSIGNED-PAYLOAD", kThen,
                headers);
  EXPECT_EQ(http::FindHeader(headers, "x-amz-security-token"), "token");
  EXPECT_THAT(http::FindHeader(headers, "Authorization"),
              HasSubstr("host;x-amz-content-sha256;x-amz-date;x-amz-security-token"));
}

TEST(AddressOf, BothAddressingStyles) {
  Profile profile = Sample();
  EXPECT_EQ(AddressOf(profile, "b-1", "a//b").path, "/a//b");
  EXPECT_EQ(AddressOf(profile, "b-1", "a").host, "b-1.s3.amazonaws.com");
  // A wildcard certificate would not match.
  EXPECT_EQ(AddressOf(profile, "b.1", "a").path, "/b.1/a");
  EXPECT_EQ(AddressOf(profile, "", "").path, "/");
  profile.path_style = true;
  profile.endpoint = "http://127.0.0.1:9000";
  EXPECT_EQ(AddressOf(profile, "b-1", "../x").path, "/b-1/../x");
  EXPECT_EQ(AddressOf(profile, "b-1", "").path, "/b-1");
  EXPECT_EQ(AddressOf(profile, "b-1", "").host, "127.0.0.1:9000");
  EXPECT_EQ(AddressOf(profile, "b-1", "/x").path, "/b-1//x");
}

}  // namespace
}  // namespace muster::transfer
