#pragma once

#include <optional>

#include "objects/object_meta.h"
#include "objects/s3_error.h"
#include "objects/s3_request.h"

namespace muster::objects {

// The metadata in the headers of a write: type, stored headers, x-amz-meta-, tags. Refuses
// unsupported features (encryption, locks, access control lists) with S3's error names.
S3Result<ObjectMeta> MetaOfRequest(const S3Request& request);
// Only the refusal of unsupported features.
S3Status CheckHeaders(const S3Request& request);

// Adds the headers of a response to GET and HEAD, except the checksum.
void AddObjectHeaders(const S3Request& request, const ObjectMeta& meta, http::Headers& headers);
void AddChecksum(const std::optional<s3::Checksum>& checksum, http::Headers& headers);

std::string Quoted(std::string_view etag);

// Parses "a=b&c=d" of the header x-amz-tagging; at most ten tags within S3's limits.
S3Result<Pairs> ReadTagHeader(std::string_view text);
S3Result<Pairs> ReadTagDocument(std::string_view xml, size_t most);
inline constexpr size_t kMostObjectTags = 10, kMostBucketTags = 50;
S3Status CheckTags(const Pairs& tags, size_t most);

}  // namespace muster::objects
