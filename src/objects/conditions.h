#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "objects/object_meta.h"
#include "objects/s3_error.h"
#include "objects/s3_request.h"

namespace muster::objects {

// If-Match and If-None-Match of a write.
struct WriteCondition {
  std::string if_match;       // as sent; empty if absent
  std::string if_none_match;  // as sent; empty if absent

  bool any() const { return !if_match.empty() || !if_none_match.empty(); }
  // `current` is null if the object does not exist.
  S3Status Check(const ObjectMeta* current) const;
};
WriteCondition WriteConditionOf(const S3Request& request);

// The conditions of a removal.
struct RemoveCondition {
  std::optional<std::string> if_match;  // as sent
  std::optional<int64_t> size;
  std::optional<int64_t> modified_s;  // since 1970, in seconds, as in the header

  bool any() const { return if_match || size || modified_s; }
  // `current` is null if the object does not exist, which only an ETag or "*" refuses.
  S3Status Check(const ObjectMeta* current) const;
};
// Unsupported conditions of a removal are kNotImplemented, because the client relies on them.
S3Result<RemoveCondition> RemoveConditionOf(const S3Request& request);
// One object of a DeleteObjects request.
S3Result<RemoveCondition> RemoveConditionOf(const s3::XmlElement& object);

// The four conditions of a read, or of a copy's source (prefix "copy-source-"). Returns
// kPreconditionFailed or kNotModified.
S3Status CheckRead(const S3Request& request, const ObjectMeta& meta);
S3Status CheckCopySource(const S3Request& request, const ObjectMeta& meta);

// Whether a list of ETags contains this one. ETags may be bare, quoted, weak, percent-encoded, or
// "*".
bool EtagListHas(std::string_view list, std::string_view etag);

struct ByteRange {
  int64_t offset = 0, length = 0;
};
// Parses "bytes=a-b", "bytes=a-" and "bytes=-n", limited to the size. Nothing for an absent or
// unsupported header; kInvalidRange if the object has none of the bytes.
S3Result<std::optional<ByteRange>> ReadRange(std::string_view header, int64_t size);

}  // namespace muster::objects
