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

// What the bytes of a body turned out to be.
struct BodySums {
  int64_t size = 0;
  std::string md5;                       // raw
  std::optional<s3::Checksum> checksum;  // the one that the request gave
};

// Takes the coding off a body while it passes, and holds it against everything that the request's
// head and trailer say of it: length, Content-MD5, SHA-256, checksum, signatures of chunks.
class BodyCheck {
 public:
  using Taker = std::function<S3Status(const s3::SharedPiece&)>;

  // kInvalidDigest and the like when the head contradicts itself.
  static S3Result<BodyCheck> Make(const S3Request& request, const Caller& caller);

  // Hands the payload on in large pieces, the rest of it in Finish. What it has handed on is not
  // proven before Finish has said yes.
  S3Status Feed(std::string_view bytes, const Taker& take);
  S3Result<BodySums> Finish(const Taker& take);

  // Of the payload, where the head tells it.
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
  std::string wanted_md5_;                    // raw; empty: none was given
  std::optional<std::string> wanted_sha256_;  // hex
  std::optional<s3::DigestKind> checksum_kind_;
  std::optional<s3::Digest> checksum_;
  std::string wanted_checksum_;  // base64; empty: it comes in the trailer
};

}  // namespace muster::objects
