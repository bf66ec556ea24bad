#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "objects/key_ring.h"
#include "objects/s3_request.h"

namespace muster::objects {

// How the signature covers the bytes of the body.
enum class Payload {
  kUnsigned,         // not covered
  kHash,             // x-amz-content-sha256 is their SHA-256
  kSignedChunks,     // each aws-chunk has a signature
  kSignedTrailer,    // each aws-chunk and the trailer have a signature
  kUnsignedTrailer,  // unsigned aws-chunks with an unsigned trailer
};

// The sender of a request, authenticated by the signature.
struct Caller {
  std::shared_ptr<const KeyPair> key;  // shared with the key ring, which may remove it meanwhile
  Payload payload = Payload::kUnsigned;
  std::string payload_hash;  // hex, for kHash
  // The state for the signatures of chunks.
  std::string signing_key, timestamp, scope, signature;
};

// Checks the signature of a request: header and query form of version 4, of version 2, and of OBS.
// A signature must cover every extension header (x-amz-, x-obs-) and every query parameter that
// selects an operation. `accept_v2` false refuses version 2 and OBS. Errors have S3's own names:
// AccessDenied without a signature, InvalidAccessKeyId, SignatureDoesNotMatch,
// RequestTimeTooSkewed.
S3Result<Caller> Authenticate(const S3Request& request, KeyRing& ring, int64_t now_ms,
                              bool accept_v2 = true);

}  // namespace muster::objects
