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
  std::string if_match;       // as sent; empty: none
  std::string if_none_match;  // as sent; empty: none

  bool any() const { return !if_match.empty() || !if_none_match.empty(); }
  // `current` null: there is no object.
  S3Status Check(const ObjectMeta* current) const;
};
WriteCondition WriteConditionOf(const S3Request& request);

// The four conditions of a read, or those of a copy's source (prefix "copy-source-").
// kPreconditionFailed, or kNotModified.
S3Status CheckRead(const S3Request& request, const ObjectMeta& meta);
S3Status CheckCopySource(const S3Request& request, const ObjectMeta& meta);

// Whether a list of ETags, each bare, quoted, weak or percent-encoded, or "*", has this one.
bool EtagListHas(std::string_view list, std::string_view etag);

struct ByteRange {
  int64_t offset = 0, length = 0;
};
// Of "bytes=a-b", "bytes=a-" and "bytes=-n", clipped to the size. Nothing when the header is absent
// or none that has to be understood; kInvalidRange when no byte of it exists.
S3Result<std::optional<ByteRange>> ReadRange(std::string_view header, int64_t size);

}  // namespace muster::objects
