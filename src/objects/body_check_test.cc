// The chunked example is the published one of S3: a body of 66560 times 'a'.
#include "objects/body_check.h"

#include <numeric>
#include <vector>

#include <gmock/gmock.h>

#include "objects/sample_requests.h"
#include "objects/signature.h"

namespace muster::objects {
namespace {

constexpr const char* kSeed = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9";

Caller ChunkedCaller(Payload payload) {
  Caller caller;
  caller.payload = payload;
  caller.signing_key = s3::SigningKeyV4(kSampleSecret, "20130524", "us-east-1", "s3");
  caller.timestamp = "20130524T000000Z";
  caller.scope = "20130524/us-east-1/s3/aws4_request";
  caller.signature = kSeed;
  return caller;
}

std::string PublishedChunks() {
  return "10000;chunk-signature="
         "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n" +
         std::string(65536, 'a') +
         "\r\n400;chunk-signature="
         "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n" +
         std::string(1024, 'a') +
         "\r\n0;chunk-signature="
         "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n";
}

struct Outcome {
  std::string payload;
  S3Result<BodySums> sums;
};

// Feeds the body in pieces of `step` bytes.
Outcome Feed(const http::Headers& headers, const Caller& caller, const std::string& body,
             size_t step, bool chunked_http = false) {
  S3Request request = SampleRequest("PUT", "/bucket/k", headers);
  request.facts.chunked = chunked_http;
  request.facts.content_length = static_cast<int64_t>(body.size());
  auto check = BodyCheck::Make(request, caller);
  if (!check) return {{}, std::unexpected(check.error())};
  std::string payload;
  const BodyCheck::Taker take = [&](const s3::SharedPiece& piece) {
    payload += piece->bytes();
    return S3Status();
  };
  for (size_t at = 0; at < body.size(); at += step) {
    const auto fed = check->Feed(std::string_view(body).substr(at, step), take);
    if (!fed) return {payload, std::unexpected(fed.error())};
  }
  auto sums = check->Finish(take);
  return {payload, std::move(sums)};
}

S3Code CodeOf(const Outcome& outcome) {
  return outcome.sums ? S3Code::kNotModified : outcome.sums.error().code;
}

const http::Headers kDecoded = {{"x-amz-decoded-content-length", "66560"}};

TEST(BodyCheck, AcceptsThePublishedChunksInAnyPieces) {
  for (const size_t step : {size_t(1), size_t(7), size_t(65537), size_t(1) << 20}) {
    const Outcome outcome =
        Feed(kDecoded, ChunkedCaller(Payload::kSignedChunks), PublishedChunks(), step);
    ASSERT_TRUE(outcome.sums) << outcome.sums.error().message;
    EXPECT_TRUE(outcome.payload == std::string(66560, 'a'));
  }
}

TEST(BodyCheck, ChecksumOfACompletedObjectIsNotThatOfItsPartList) {
  const std::string_view document = "<CompleteMultipartUpload/>";
  S3Request request =
      SampleRequest("POST", "/bucket/k?uploadId=u", {{"x-amz-checksum-crc32c", "AAAAAA=="}});
  request.facts.content_length = static_cast<int64_t>(document.size());
  auto check = BodyCheck::Make(request, {});
  ASSERT_TRUE(check);
  const BodyCheck::Taker take = [](const s3::SharedPiece&) { return S3Status(); };
  ASSERT_TRUE(check->Feed(document, take));
  EXPECT_TRUE(check->Finish(take));
}

TEST(BodyCheck, PassesWholePagesExceptTheRest) {
  const std::string body(700'001, 'x');
  S3Request request = SampleRequest("PUT", "/bucket/k", {});
  request.facts.content_length = std::ssize(body);
  auto check = BodyCheck::Make(request, {});
  ASSERT_TRUE(check);
  std::vector<size_t> sizes;
  const BodyCheck::Taker take = [&](const s3::SharedPiece& piece) {
    sizes.push_back(piece->size());
    return S3Status();
  };
  for (size_t at = 0; at < body.size(); at += 9'999) {
    ASSERT_TRUE(check->Feed(std::string_view(body).substr(at, 9'999), take));
  }
  const size_t fed = sizes.size();
  EXPECT_GT(fed, 0u);
  for (const size_t size : sizes) EXPECT_EQ(size % 4096, 0u);
  ASSERT_TRUE(check->Finish(take));
  EXPECT_EQ(sizes.size(), fed + 1);
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), size_t(0)), body.size());
}

TEST(BodyCheck, ErrorOfTheLastPieceIsReturned) {
  S3Request request = SampleRequest("PUT", "/bucket/k", {});
  request.facts.content_length = 5;
  auto check = BodyCheck::Make(request, {});
  ASSERT_TRUE(check);
  const BodyCheck::Taker full = [](const s3::SharedPiece&) -> S3Status {
    return Refuse(S3Code::kInternalError);
  };
  ASSERT_TRUE(check->Feed("hello", full));
  const auto sums = check->Finish(full);
  ASSERT_FALSE(sums);
  EXPECT_EQ(sums.error().code, S3Code::kInternalError);
}

TEST(BodyCheck, ModifiedChunksAreRefused) {
  const std::string good = PublishedChunks();
  const auto code = [](const std::string& body) {
    return CodeOf(Feed(kDecoded, ChunkedCaller(Payload::kSignedChunks), body, 1000));
  };
  std::string flipped = good;
  flipped[70'000 - 4'000] = 'b';
  EXPECT_EQ(code(flipped), S3Code::kSignatureDoesNotMatch);
  EXPECT_EQ(code(good.substr(0, 65'000)), S3Code::kIncompleteBody);
  EXPECT_EQ(code(good.substr(0, good.size() - 90)), S3Code::kIncompleteBody);
  EXPECT_EQ(code("zz" + good), S3Code::kInvalidRequest);
  EXPECT_EQ(code(good + "x-extra:1\r\n"), S3Code::kInvalidRequest);
  EXPECT_EQ(code(std::string(5000, '1')), S3Code::kInvalidRequest);
  EXPECT_EQ(CodeOf(Feed({{"x-amz-decoded-content-length", "66559"}},
                        ChunkedCaller(Payload::kSignedChunks), good, 1000)),
            S3Code::kIncompleteBody);
  EXPECT_EQ(CodeOf(Feed({}, ChunkedCaller(Payload::kSignedChunks), good, 1000)),
            S3Code::kMissingContentLength);
}

// The exact bytes that boto3 sends over TLS.
TEST(BodyCheck, AcceptsUnsignedChunksWithATrailer) {
  const http::Headers headers = {{"x-amz-decoded-content-length", "10"},
                                 {"x-amz-trailer", "x-amz-checksum-crc32"}};
  const std::string body = "a\r\nhello wire\r\n0\r\nx-amz-checksum-crc32:VUAP3g==\r\n\r\n";
  const Caller caller = ChunkedCaller(Payload::kUnsignedTrailer);
  for (const size_t step : {size_t(1), size_t(100)}) {
    const Outcome outcome = Feed(headers, caller, body, step, true);
    ASSERT_TRUE(outcome.sums) << outcome.sums.error().message;
    EXPECT_EQ(outcome.payload, "hello wire");
    EXPECT_EQ(outcome.sums->checksum->value, "VUAP3g==");
  }
  EXPECT_EQ(CodeOf(Feed(headers, caller,
                        "a\r\nhello wirf\r\n0\r\nx-amz-checksum-crc32:VUAP3g==\r\n\r\n", 9)),
            S3Code::kBadDigest);
  EXPECT_EQ(CodeOf(Feed(headers, caller, "a\r\nhello wire\r\n0\r\n\r\n", 9)),
            S3Code::kInvalidRequest);
}

TEST(BodyCheck, PlainBodiesAreComparedWithTheirHeaders) {
  const std::string body = "hello wire";
  const auto code = [&](const http::Headers& headers) {
    return CodeOf(Feed(headers, Caller(), body, 3));
  };
  EXPECT_EQ(code({}), S3Code::kNotModified);
  EXPECT_EQ(code({{"Content-MD5", s3::Base64(s3::DigestOf(s3::DigestKind::kMd5, body))}}),
            S3Code::kNotModified);
  EXPECT_EQ(code({{"Content-MD5", s3::Base64(s3::DigestOf(s3::DigestKind::kMd5, "x"))}}),
            S3Code::kBadDigest);
  EXPECT_EQ(code({{"Content-MD5", "none"}}), S3Code::kInvalidDigest);
  for (const auto kind :
       {s3::DigestKind::kCrc32, s3::DigestKind::kCrc32c, s3::DigestKind::kCrc64Nvme,
        s3::DigestKind::kSha1, s3::DigestKind::kSha256}) {
    EXPECT_EQ(code({{s3::ChecksumHeader(kind), s3::Base64(s3::DigestOf(kind, body))}}),
              S3Code::kNotModified);
    EXPECT_EQ(code({{s3::ChecksumHeader(kind), s3::Base64(s3::DigestOf(kind, "x"))}}),
              S3Code::kBadDigest);
    EXPECT_EQ(code({{s3::ChecksumHeader(kind), "AAA="}}), S3Code::kBadDigest);
  }
  Caller hashed;
  hashed.payload = Payload::kHash;
  hashed.payload_hash = s3::Hex(s3::DigestOf(s3::DigestKind::kSha256, body));
  EXPECT_EQ(CodeOf(Feed({}, hashed, body, 4)), S3Code::kNotModified);
  EXPECT_EQ(CodeOf(Feed({}, hashed, body + "!", 4)), S3Code::kXAmzContentSha256Mismatch);
}

}  // namespace
}  // namespace muster::objects
