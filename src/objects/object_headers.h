#pragma once

#include <optional>

#include "objects/object_meta.h"
#include "objects/s3_error.h"
#include "objects/s3_request.h"

namespace muster::objects {

// What the headers of a write say about the object: type, headers to be given back, x-amz-meta-,
// tags. Refuses what this store has not (encryption, locks, lists of access) by S3's own names.
S3Result<ObjectMeta> MetaOfRequest(const S3Request& request);
// The last part of that alone.
S3Status CheckHeaders(const S3Request& request);

// The headers of an answer to GET and HEAD; the checksum, which is the whole object's, apart.
void AddObjectHeaders(const S3Request& request, const ObjectMeta& meta, http::Headers& headers);
void AddChecksum(const std::optional<s3::Checksum>& checksum, http::Headers& headers);

std::string Quoted(std::string_view etag);

// "a=b&c=d" of the header x-amz-tagging; at most ten, each within S3's limits.
S3Result<Pairs> ReadTagHeader(std::string_view text);
S3Result<Pairs> ReadTagDocument(std::string_view xml, size_t most);
inline constexpr size_t kMostObjectTags = 10, kMostBucketTags = 50;
S3Status CheckTags(const Pairs& tags, size_t most);

}  // namespace muster::objects
