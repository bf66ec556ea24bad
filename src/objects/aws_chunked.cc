#include "objects/aws_chunked.h"

#include <algorithm>

#include "base/text.h"
#include "objects/signature.h"

namespace muster::objects {
namespace {

constexpr size_t kLongestHeader = 256;
constexpr size_t kLongestTail = 8 << 10;
constexpr size_t kMostDigits = 15;
constexpr int64_t kSmall = 8 << 10;  // limit of small chunks that wait for their signatures
constexpr std::string_view kSignatureName = "chunk-signature=";

std::unexpected<S3Error> Broken() {
  return Refuse(S3Code::kInvalidRequest, "The chunks of the body are broken.");
}

}  // namespace

AwsChunked::AwsChunked(const Caller& caller)
    : signed_(caller.payload != Payload::kUnsignedTrailer),
      has_trailer_(caller.payload != Payload::kSignedChunks),
      key_(caller.signing_key),
      timestamp_(caller.timestamp),
      scope_(caller.scope),
      chunk_{.signature = caller.signature} {}

S3Status AwsChunked::Feed(std::string_view bytes, s3::SharedSums& sums, const Taker& take) {
  while (!bytes.empty()) {
    if (state_ == State::kData) {
      const auto piece =
          bytes.substr(0, static_cast<size_t>(std::min(left_, static_cast<int64_t>(bytes.size()))));
      if (chunk_hash_) chunk_hash_->Add(piece);
      MUSTER_TRY(take(piece));
      bytes.remove_prefix(piece.size());
      left_ -= static_cast<int64_t>(piece.size());
      if (left_ == 0) state_ = State::kDataEnd;
    } else if (state_ == State::kTail) {
      line_ += bytes;
      if (line_.size() > kLongestTail) return Broken();
      return {};
    } else {
      line_ += bytes.front();
      bytes.remove_prefix(1);
      if (line_.size() > kLongestHeader) return Broken();
      if (!line_.ends_with("\n")) continue;
      MUSTER_TRY(state_ == State::kHeader ? ReadHeader(sums) : CloseChunk());
      line_.clear();
    }
  }
  return {};
}

S3Status AwsChunked::ReadHeader(s3::SharedSums& sums) {
  if (!line_.ends_with("\r\n")) return Broken();
  const std::string_view header = std::string_view(line_).substr(0, line_.size() - 2);
  const size_t semicolon = std::min(header.find(';'), header.size());
  const std::string_view digits = header.substr(0, semicolon);
  const std::string_view extension = header.substr(std::min(semicolon + 1, header.size()));
  if (digits.empty() || digits.size() > kMostDigits) return Broken();
  left_ = 0;
  for (const char c : Lower(digits)) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && (c < 'a' || c > 'f')) return Broken();
    left_ = left_ * 16 + (digit ? c - '0' : c - 'a' + 10);
  }
  if (signed_) {
    if (!extension.starts_with(kSignatureName)) return Broken();
    chunk_.previous = std::exchange(chunk_.signature, extension.substr(kSignatureName.size()));
    if (left_ >= kSmall) {
      sums.Expect(left_);
      told_.push_back(chunk_);
    } else {
      if (left_ > 0) sums.Skip(left_);
      chunk_hash_.emplace(s3::DigestKind::kSha256);
    }
  }
  if (left_ > 0) {
    state_ = State::kData;
    return {};
  }
  state_ = State::kTail;
  if (!signed_) return {};
  line_ = "\r\n";  // the last chunk has neither data nor a line break after it
  return CloseChunk();
}

S3Status AwsChunked::CloseChunk() {
  if (line_ != "\r\n") return Broken();
  if (state_ == State::kDataEnd) state_ = State::kHeader;
  if (!chunk_hash_) return {};
  const std::string hash = chunk_hash_->Finish();
  chunk_hash_.reset();
  if (!Fits(chunk_, hash)) return Refuse(S3Code::kSignatureDoesNotMatch);
  return {};
}

bool AwsChunked::Fits(const Told& told, const std::string& hash) const {
  return s3::SameSecret(s3::ChunkSignatureV4(key_, timestamp_, scope_, told.previous, hash),
                        told.signature);
}

S3Status AwsChunked::Prove(const std::vector<std::string>& hashes) {
  bool good = true;
  for (const std::string& hash : hashes) {
    good = Fits(told_.front(), hash) && good;
    told_.pop_front();
  }
  if (!good) return Refuse(S3Code::kSignatureDoesNotMatch);
  return {};
}

S3Status AwsChunked::End() {
  if (state_ != State::kTail) return Refuse(S3Code::kIncompleteBody);
  return ReadTrailer();
}

// Some clients end lines with LF, CR and LF: empty lines are ignored.
S3Status AwsChunked::ReadTrailer() {
  std::string lines, signature;
  for (const std::string& raw : Split(line_, '\n')) {
    const std::string_view line = Trim(raw);
    if (line.empty()) continue;
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || !has_trailer_) return Broken();
    const std::string name = Lower(Trim(line.substr(0, colon)));
    const std::string value(Trim(line.substr(colon + 1)));
    if (name == "x-amz-trailer-signature") {
      signature = value;
      continue;
    }
    lines.append(name).append(":").append(value) += '\n';
    trailer_.emplace_back(name, value);
  }
  if (!has_trailer_ || !signed_) return {};
  const std::string wanted =
      s3::TrailerSignatureV4(key_, timestamp_, scope_, chunk_.signature, lines);
  if (!s3::SameSecret(wanted, signature)) return Refuse(S3Code::kSignatureDoesNotMatch);
  return {};
}

}  // namespace muster::objects
