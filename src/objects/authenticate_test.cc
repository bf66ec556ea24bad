// All expected signatures are from the published examples of S3.
#include "objects/authenticate.h"

#include <gmock/gmock.h>

#include "objects/sample_requests.h"
#include "objects/signature.h"
#include "s3/time_text.h"

namespace muster::objects {
namespace {

constexpr const char* kNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

class AuthenticateTest : public testing::Test {
 protected:
  S3Code CodeOf(const S3Request& request, int64_t now_ms) {
    const auto caller = Authenticate(request, *ring_, now_ms);
    return caller ? S3Code::kNotModified : caller.error().code;
  }
  static S3Request Get(
      std::string signature = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41") {
    return SampleRequest("GET", "/test.txt",
                         {{"Host", "examplebucket.s3.amazonaws.com"},
                          {"Range", "bytes=0-9"},
                          {"x-amz-content-sha256", kNothing},
                          {"x-amz-date", "20130524T000000Z"},
                          {"Authorization",
                           "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/"
                           "aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                           "Signature=" +
                               signature}});
  }

  SampleRing ring_;
  const int64_t now_ = *s3::ParseCompactDate("20130524T000000Z");
};

TEST_F(AuthenticateTest, AcceptsTheHeaderFormOfVersion4) {
  const auto caller = Authenticate(Get(), *ring_, now_);
  ASSERT_TRUE(caller) << caller.error().message;
  EXPECT_EQ(caller->key->user, "sample");
  EXPECT_EQ(caller->payload, Payload::kHash);
}

TEST_F(AuthenticateTest, ErrorsNameTheFault) {
  EXPECT_EQ(CodeOf(Get(std::string(64, '0')), now_), S3Code::kSignatureDoesNotMatch);
  EXPECT_EQ(CodeOf(Get(), now_ + 16 * 60'000), S3Code::kRequestTimeTooSkewed);
  EXPECT_EQ(CodeOf(Get(), now_ - 16 * 60'000), S3Code::kRequestTimeTooSkewed);
  EXPECT_EQ(CodeOf(SampleRequest("GET", "/bucket/k", {{"Host", "h"}}), now_),
            S3Code::kAccessDenied);
  S3Request changed = Get();
  changed.raw_path = "/test.txu";
  EXPECT_EQ(CodeOf(changed, now_), S3Code::kSignatureDoesNotMatch);
  S3Request added = Get();
  added.headers.emplace_back("x-amz-copy-source", "/b/secret");
  EXPECT_EQ(CodeOf(added, now_), S3Code::kAccessDenied) << "an unsigned header that changes it";
  ASSERT_TRUE(ring_->Add({"OTHER", "x", "other", {}}));
  S3Request unknown = Get();
  for (auto& [name, value] : unknown.headers) {
    if (name == "Authorization") value.replace(value.find("AKIA"), 4, "AKIB");
  }
  EXPECT_EQ(CodeOf(unknown, now_), S3Code::kInvalidAccessKeyId);
}

TEST_F(AuthenticateTest, AcceptsPresignedUrlsOfVersion4) {
  const auto request = [](const std::string& signature) {
    return SampleRequest(
        "GET",
        "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
        "AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date="
        "20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&"
        "X-Amz-Signature=" +
            signature,
        {{"Host", "examplebucket.s3.amazonaws.com"}});
  };
  const auto good = request("aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
  EXPECT_TRUE(Authenticate(good, *ring_, now_ + 86'000'000));
  EXPECT_EQ(CodeOf(good, now_ + 86'401'000), S3Code::kAccessDenied);
  EXPECT_EQ(CodeOf(request("00"), now_), S3Code::kSignatureDoesNotMatch);
}

TEST_F(AuthenticateTest, AcceptsVersion2) {
  const int64_t now = *s3::ParseHttpDate("Tue, 27 Mar 2007 19:36:42 +0000");
  const auto request = [](const std::string& authorization) {
    return SampleRequest("GET", "/photos/puppy.jpg",
                         {{"Host", "awsexamplebucket1.s3.amazonaws.com"},
                          {"Date", "Tue, 27 Mar 2007 19:36:42 +0000"},
                          {"Authorization", authorization}});
  };
  EXPECT_TRUE(
      Authenticate(request("AWS AKIAIOSFODNN7EXAMPLE:qgk2+6Sv9/oM7G3qLEjTH1a1l1g="), *ring_, now));
  EXPECT_EQ(CodeOf(request("AWS AKIAIOSFODNN7EXAMPLE:qgk2+6Sv9/oM7G3qLEjTH1a1l1h="), now),
            S3Code::kSignatureDoesNotMatch);
  EXPECT_EQ(CodeOf(request("AWS broken"), now), S3Code::kAuthorizationHeaderMalformed);
}

TEST_F(AuthenticateTest, AcceptsVersion2OfABucketWithAndWithoutSlash) {
  constexpr const char* kDate = "Tue, 27 Mar 2007 19:42:41 +0000";
  const int64_t now = *s3::ParseHttpDate(kDate);
  const auto request = [&](const std::string& target, const std::string& signature) {
    return SampleRequest("GET", target,
                         {{"Host", "127.0.0.1:1"},
                          {"Date", kDate},
                          {"Authorization", "AWS AKIAIOSFODNN7EXAMPLE:" + signature}});
  };
  // Published for the host form of the bucket, which signs "/awsexamplebucket1/".
  const std::string listed = "m0WP8eCtspQl5Ahe6L1SozdX9YA=";
  const std::string query = "?prefix=photos&max-keys=50&marker=puppy";
  EXPECT_TRUE(Authenticate(request("/awsexamplebucket1" + query, listed), *ring_, now));
  EXPECT_TRUE(Authenticate(request("/awsexamplebucket1/" + query, listed), *ring_, now));
  for (const std::string& other : {"/awsexamplebucket2" + query, "/awsexamplebucket1/k" + query,
                                   std::string("/awsexamplebucket1?acl"), "/" + query}) {
    EXPECT_EQ(CodeOf(request(other, listed), now), S3Code::kSignatureDoesNotMatch) << other;
  }
  // The same without the slash.
  const std::string bare = SignatureV2(
      kSampleSecret, "GET\n\n\n" + std::string(kDate) + "\n/awsexamplebucket1?location");
  EXPECT_TRUE(Authenticate(request("/awsexamplebucket1?location", bare), *ring_, now));
  EXPECT_TRUE(Authenticate(request("/awsexamplebucket1/?location", bare), *ring_, now));
}

class Version2Test : public AuthenticateTest {
 protected:
  static constexpr const char* kDate = "Tue, 27 Mar 2007 19:36:42 +0000";

  // Signed as the dialect `scheme` signs it, with `extra` beyond what the signature covers.
  static S3Request Signed(const std::string& scheme, const std::string& target,
                          const http::Headers& extra) {
    const std::string prefix = scheme == "OBS" ? "x-obs-" : "x-amz-";
    http::Headers headers = {{"Host", "h"}, {"Date", kDate}};
    headers.insert(headers.end(), extra.begin(), extra.end());
    S3Request request = SampleRequest("PUT", target, headers);
    const std::string signature =
        SignatureV2(kSampleSecret, StringToSignV2(request, kDate, request.raw_path, prefix));
    request.headers.emplace_back("Authorization", scheme + " AKIAIOSFODNN7EXAMPLE:" + signature);
    return request;
  }

  const int64_t now_ = *s3::ParseHttpDate(kDate);
};

TEST_F(Version2Test, RefusesExtensionHeadersOfTheOtherDialect) {
  const http::Headers amz = {{"X-Amz-Copy-Source", "/b/secret"}};
  const http::Headers obs = {{"x-obs-copy-source", "/b/secret"}};
  EXPECT_EQ(CodeOf(Signed("AWS", "/bucket/k", amz), now_), S3Code::kNotModified);
  EXPECT_EQ(CodeOf(Signed("OBS", "/bucket/k", obs), now_), S3Code::kNotModified);
  EXPECT_EQ(CodeOf(Signed("AWS", "/bucket/k", obs), now_), S3Code::kAccessDenied);
  EXPECT_EQ(CodeOf(Signed("OBS", "/bucket/k", amz), now_), S3Code::kAccessDenied);
}

TEST_F(Version2Test, RefusesUnsignedParametersThatSelectAnOperation) {
  for (const std::string target :
       {"/?muster-keys", "/?muster-keys=x", "/?Muster-Near", "/bucket?muster-stamp",
        "/bucket?list-type=2&muster-near", "/bucket/k?x-obs-copy-source=/b/secret"}) {
    EXPECT_EQ(CodeOf(Signed("AWS", target, {}), now_), S3Code::kAccessDenied) << target;
  }
  for (const std::string target :
       {"/bucket?list-type=2", "/bucket/k?uploads", "/bucket?prefix=a"}) {
    EXPECT_EQ(CodeOf(Signed("AWS", target, {}), now_), S3Code::kNotModified) << target;
  }
}

TEST_F(Version2Test, IsRefusedWhereItIsSwitchedOff) {
  const auto caller = Authenticate(Signed("AWS", "/bucket/k", {}), *ring_, now_, false);
  ASSERT_FALSE(caller);
  EXPECT_EQ(caller.error().code, S3Code::kInvalidRequest);
}

TEST_F(AuthenticateTest, RefusesTwoMechanismsInOneRequest) {
  S3Request request = Get();
  request.query.push_back({"Signature", "x"});
  EXPECT_EQ(CodeOf(request, now_), S3Code::kInvalidArgument);
  S3Request twice = Get();
  twice.headers.emplace_back("authorization", "AWS a:b");
  EXPECT_EQ(CodeOf(twice, now_), S3Code::kInvalidArgument);
}

TEST_F(AuthenticateTest, MalformedRequestsAreRefused) {
  for (const char* text :
       {"AWS4-HMAC-SHA256 ", "AWS4-HMAC-SHA256 Credential=a/b,SignedHeaders=host,Signature=x",
        "AWS4-HMAC-SHA256 ,,,=,", "AWS4-HMAC-SHA256 Credential=////,SignedHeaders=;;,Signature=",
        "AWS :", "OBS ", "Bearer x", "AWS a:b:c"}) {
    EXPECT_NE(
        CodeOf(SampleRequest("GET", "/bucket/k", {{"Host", "h"}, {"Authorization", text}}), now_),
        S3Code::kNotModified)
        << text;
  }
}

}  // namespace
}  // namespace muster::objects
