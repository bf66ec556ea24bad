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

// Takes the aws-chunked coding off a body: "SIZE[;chunk-signature=HEX]\r\nBYTES\r\n", a last chunk
// of none, and perhaps a trailer. Bytes are handed on before their chunk's signature was compared,
// so nothing of them may be shown to anyone before End has said yes and Prove has of all chunks.
class AwsChunked {
 public:
  using Taker = std::function<S3Status(std::string_view)>;

  // By caller.payload, one of the three chunked forms.
  explicit AwsChunked(const Caller& caller);

  // `sums`, which every byte that is handed on goes to, is told of the chunks whose hash is wanted.
  S3Status Feed(std::string_view bytes, s3::SharedSums& sums, const Taker& take);
  // What `sums` says of these chunks, in their order: that it is what their signatures say.
  S3Status Prove(const std::vector<std::string>& hashes);
  bool proven() const { return told_.empty(); }  // after End: all of it
  // The body has ended: it must have ended here, and the trailer's signature must fit.
  S3Status End();
  const http::Headers& trailer() const { return trailer_; }  // after End

 private:
  enum class State { kHeader, kData, kDataEnd, kTail };

  // Of one chunk, as the body tells it.
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
  std::string line_;  // a header, the break behind data, or the tail, as far as it has come
  int64_t left_ = 0;  // of the chunk's data
  Told chunk_;
  std::optional<s3::Digest> chunk_hash_;  // of one that is hashed as it comes
  std::deque<Told> told_;                 // of those that Prove has still to see
  http::Headers trailer_;
};

}  // namespace muster::objects
