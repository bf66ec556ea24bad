#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "objects/aws_chunked.h"
#include "s3/checksum.h"
#include "s3/shared_sums.h"

namespace muster::objects {

// The one x-amz-checksum- header that the request has, as it came.
S3Result<std::optional<s3::Checksum>> GivenChecksum(const S3Request& request);

// The verified digests of a body.
struct BodySums {
  int64_t size = 0;
  std::string md5;                       // raw
  std::optional<s3::Checksum> checksum;  // the checksum that the request declared
};

// Decodes a body while it passes, and verifies everything that head and trailer declare: length,
// Content-MD5, SHA-256, checksum, chunk signatures.
class BodyCheck {
 public:
  using Taker = std::function<S3Status(const s3::SharedPiece&)>;

  // kInvalidDigest and similar if the head contradicts itself.
  static S3Result<BodyCheck> Make(const S3Request& request, const Caller& caller);

  // Passes the payload on in large pieces, and the rest in Finish. The payload is unverified until
  // Finish succeeds.
  S3Status Feed(std::string_view bytes, const Taker& take);
  S3Result<BodySums> Finish(const Taker& take);

  // The length of the payload, if the head declares it.
  std::optional<int64_t> length() const { return length_; }

 private:
  BodyCheck() = default;
  S3Status ReadHead(const S3Request& request, const Caller& caller);
  S3Status TakePayload(std::string_view bytes, const Taker& take);
  S3Status CompareChecksum(std::string& raw);

  std::optional<int64_t> length_;
  int64_t seen_ = 0;
  std::optional<AwsChunked> chunked_;
  s3::SharedSums sums_;
  std::string wanted_md5_;                    // raw; empty if absent
  std::optional<std::string> wanted_sha256_;  // hex
  std::optional<s3::DigestKind> checksum_kind_;
  std::optional<s3::Digest> checksum_;
  std::string wanted_checksum_;  // base64; empty if it follows in the trailer
};

}  // namespace muster::objects
