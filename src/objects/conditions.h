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

// What an object must be for it to be removed.
struct RemoveCondition {
  std::optional<std::string> if_match;  // as sent
  std::optional<int64_t> size;
  std::optional<int64_t> modified_s;  // since 1970; finer no header tells it

  bool any() const { return if_match || size || modified_s; }
  // `current` null: there is no object, which only an ETag or "*" minds.
  S3Status Check(const ObjectMeta* current) const;
};
// Conditions that a removal cannot have are kNotImplemented: who sends one counts on it.
S3Result<RemoveCondition> RemoveConditionOf(const S3Request& request);
S3Result<RemoveCondition> RemoveConditionOf(const s3::XmlElement& object);  // one of many

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
