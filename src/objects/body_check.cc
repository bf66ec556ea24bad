#include "objects/body_check.h"

#include "base/text.h"

namespace muster::objects {
namespace {

constexpr int64_t kLargestPut = int64_t(5) << 30;

bool IsChunked(Payload payload) {
  return payload == Payload::kSignedChunks || payload == Payload::kSignedTrailer ||
         payload == Payload::kUnsignedTrailer;
}

// The checksum named in the head, with its value if present.
S3Result<std::optional<s3::Checksum>> ChecksumOfHead(const S3Request& request) {
  // In CompleteMultipartUpload the header refers to the object, not to the XML body.
  if (request.method == "POST" && request.Has("uploadId")) return std::nullopt;
  MUSTER_ASSIGN(const auto found, GivenChecksum(request));
  if (found) {
    const auto raw = s3::FromBase64(found->value);
    if (!raw || raw->size() != s3::DigestSize(found->kind)) {
      return Refuse(S3Code::kBadDigest,
                    "Value for " + s3::ChecksumHeader(found->kind) + " header is invalid.");
    }
  }
  if (found) return found;
  const std::string trailer = Lower(Trim(request.Header("x-amz-trailer")));
  for (const s3::DigestKind kind : s3::kChecksumKinds) {
    if (trailer == s3::ChecksumHeader(kind)) return s3::Checksum{kind, {}};
  }
  return std::nullopt;
}

}  // namespace

S3Result<std::optional<s3::Checksum>> GivenChecksum(const S3Request& request) {
  std::optional<s3::Checksum> found;
  for (const s3::DigestKind kind : s3::kChecksumKinds) {
    const std::string_view value = Trim(request.Header(s3::ChecksumHeader(kind)));
    if (value.empty()) continue;
    if (found) {
      return Refuse(S3Code::kInvalidRequest,
                    "Expecting a single x-amz-checksum- header. Multiple checksum Types are not "
                    "allowed.");
    }
    found = s3::Checksum{kind, std::string(value), false};
  }
  return found;
}

S3Result<BodyCheck> BodyCheck::Make(const S3Request& request, const Caller& caller) {
  BodyCheck check;
  MUSTER_TRY(check.ReadHead(request, caller));
  return check;
}

S3Status BodyCheck::ReadHead(const S3Request& request, const Caller& caller) {
  if (!request.facts.chunked) length_ = request.facts.content_length;
  if (IsChunked(caller.payload)) {
    chunked_.emplace(caller);
    const auto decoded = ParseInt(Trim(request.Header("x-amz-decoded-content-length")));
    if (!decoded || *decoded < 0) {
      return Refuse(S3Code::kMissingContentLength,
                    "x-amz-decoded-content-length is missing or no length.");
    }
    length_ = decoded;
  }
  if (length_.value_or(0) > kLargestPut) return Refuse(S3Code::kEntityTooLarge);
  if (caller.payload == Payload::kHash) {
    wanted_sha256_ = caller.payload_hash;
  }
  if (const std::string_view md5 = Trim(request.Header("Content-MD5")); !md5.empty()) {
    const auto raw = s3::FromBase64(md5);
    if (!raw || raw->size() != s3::DigestSize(s3::DigestKind::kMd5))
      return Refuse(S3Code::kInvalidDigest);
    wanted_md5_ = *raw;
  }
  MUSTER_ASSIGN(const auto checksum, ChecksumOfHead(request));
  if (checksum) {
    checksum_kind_ = checksum->kind;
    wanted_checksum_ = checksum->value;
    if (checksum->kind != s3::DigestKind::kSha256) checksum_.emplace(checksum->kind);
  }
  if (wanted_sha256_ || checksum_kind_ == s3::DigestKind::kSha256) {
    sums_ = s3::SharedSums(s3::SharedSums::Sha256::kWanted);
  }
  return {};
}

S3Status BodyCheck::Feed(std::string_view bytes, const Taker& take) {
  if (!chunked_) return TakePayload(bytes, take);
  MUSTER_TRY(chunked_->Feed(bytes, sums_,
                            [&](std::string_view piece) { return TakePayload(piece, take); }));
  return chunked_->Prove(sums_.TakeChunks());
}

S3Status BodyCheck::TakePayload(std::string_view bytes, const Taker& take) {
  seen_ += static_cast<int64_t>(bytes.size());
  if (length_ && seen_ > *length_) return Refuse(S3Code::kIncompleteBody);
  if (seen_ > kLargestPut) return Refuse(S3Code::kEntityTooLarge);
  if (checksum_) checksum_->Add(bytes);
  S3Status taken;
  sums_.Add(bytes, [&](const s3::SharedPiece& piece) {
    if (taken) taken = take(piece);
  });
  return taken;
}

S3Result<BodySums> BodyCheck::Finish(const Taker& take) {
  if (chunked_) MUSTER_TRY(chunked_->End());
  if (length_ && seen_ != *length_) return Refuse(S3Code::kIncompleteBody);
  S3Status taken;
  auto [md5, sha256] = sums_.Finish([&](const s3::SharedPiece& piece) { taken = take(piece); });
  if (!taken) return std::unexpected(std::move(taken).error());
  if (chunked_) MUSTER_TRY(chunked_->Prove(sums_.TakeChunks()));
  if (chunked_ && !chunked_->proven()) return Refuse(S3Code::kSignatureDoesNotMatch);
  if (!wanted_md5_.empty() && wanted_md5_ != md5) return Refuse(S3Code::kBadDigest);
  if (wanted_sha256_ && *wanted_sha256_ != s3::Hex(sha256)) {
    return Refuse(S3Code::kXAmzContentSha256Mismatch);
  }
  BodySums sums{.size = seen_, .md5 = std::move(md5)};
  if (checksum_kind_) {
    std::string raw = checksum_ ? checksum_->Finish() : sha256;
    MUSTER_TRY(CompareChecksum(raw));
    sums.checksum = s3::Checksum{*checksum_kind_, raw};
  }
  return sums;
}

// The value stays in base64.
S3Status BodyCheck::CompareChecksum(std::string& raw) {
  raw = s3::Base64(raw);
  std::string wanted = wanted_checksum_;
  if (wanted.empty() && chunked_) {
    wanted = http::FindHeader(chunked_->trailer(), s3::ChecksumHeader(*checksum_kind_));
  }
  if (wanted.empty()) {
    return Refuse(S3Code::kInvalidRequest, "The trailer with the checksum is missing.");
  }
  if (wanted != raw) return Refuse(S3Code::kBadDigest);
  return {};
}

}  // namespace muster::objects
