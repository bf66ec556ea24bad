#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "objects/authenticate.h"
#include "s3/digest.h"
#include "s3/shared_sums.h"

namespace muster::objects {

// Decodes an aws-chunked body: "SIZE[;chunk-signature=HEX]\r\nBYTES\r\n", a final empty chunk, and
// an optional trailer. Bytes are passed on before the signature of their chunk is verified, so they
// must stay invisible until End has succeeded and Prove has covered all chunks.
class AwsChunked {
 public:
  using Taker = std::function<S3Status(std::string_view)>;

  // For one of the three chunked forms of caller.payload.
  explicit AwsChunked(const Caller& caller);

  // `sums` receives the bytes of the chunks whose hash is needed.
  S3Status Feed(std::string_view bytes, s3::SharedSums& sums, const Taker& take);
  // Compares the hashes of these chunks, in order, with their signatures.
  S3Status Prove(const std::vector<std::string>& hashes);
  bool proven() const { return told_.empty(); }  // after End: all chunks are verified
  // The body has ended: the coding must be complete and the signature of the trailer valid.
  S3Status End();
  const http::Headers& trailer() const { return trailer_; }  // after End

 private:
  enum class State { kHeader, kData, kDataEnd, kTail };

  // The declared signature of one chunk.
  struct Told {
    std::string previous, signature;
  };

  S3Status ReadHeader(s3::SharedSums& sums);
  S3Status CloseChunk();
  bool Fits(const Told& told, const std::string& hash) const;
  S3Status ReadTrailer();

  const bool signed_, has_trailer_;
  const std::string key_, timestamp_, scope_;
  State state_ = State::kHeader;
  std::string line_;  // an incomplete header, line break or trailer
  int64_t left_ = 0;  // of the chunk's data
  Told chunk_;
  std::optional<s3::Digest> chunk_hash_;  // of a chunk that is hashed as it arrives
  std::deque<Told> told_;                 // of the chunks that Prove has not verified yet
  http::Headers trailer_;
};

}  // namespace muster::objects
