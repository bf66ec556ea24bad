// Reads objects and changes their metadata.
#include <fmt/format.h>

#include "base/text.h"
#include "objects/object_headers.h"
#include "objects/operations.h"
#include "objects/upload.h"

namespace muster::objects {
namespace {

struct Found {
  http::Response head;
  http::FileBody body;
};

bool WantsChecksum(const S3Request& request) {
  return Lower(request.Header("x-amz-checksum-mode")) == "enabled";
}

// The range of ?partNumber=. Nothing for the whole object, which is the only part of an object that
// was uploaded in one piece.
S3Result<std::optional<ByteRange>> ReadPart(const S3Request& request, const ObjectMeta& meta,
                                            http::Headers& headers) {
  const auto text = request.Query("partNumber");
  if (!text) return std::nullopt;
  const auto number = ParseInt(*text);
  if (!number || *number < 1 || *number > kMostParts) {
    return Refuse(S3Code::kInvalidArgument, "partNumber must be from 1 to 10000.");
  }
  if (!request.Header("Range").empty()) {
    return Refuse(S3Code::kInvalidRequest, "Either a Range or a partNumber can be asked for.");
  }
  if (!meta.knows_parts()) {
    const bool one_piece = meta.etag_is_md5() || meta.etag.ends_with("-1");
    if (one_piece && *number == 1) return std::nullopt;
    if (one_piece) return Refuse(S3Code::kInvalidPartNumber);
    return Refuse(S3Code::kNotImplemented, "The lengths of this object's parts are not known.");
  }
  const auto place = PlaceOfPart(meta.parts, *number);
  if (!place) return Refuse(S3Code::kInvalidPartNumber);
  headers.emplace_back("x-amz-mp-parts-count", std::to_string(CountParts(meta.parts)));
  if (WantsChecksum(request)) AddChecksum(meta.ChecksumOfPart(*number), headers);
  return ByteRange{place->offset, place->size};
}

S3Result<Found> Read(const Call& call) {
  const S3Request& request = call.request;
  MUSTER_TRY(call.MayRead(request.bucket, request.key));
  MUSTER_ASSIGN(Object object, call.parts.store.Find(request.bucket, request.key));
  const auto condition = CheckRead(request, object.meta);
  if (!condition) {
    S3Error error = condition.error();
    if (error.code == S3Code::kNotModified)
      error.headers.emplace_back("ETag", Quoted(object.meta.etag));
    return std::unexpected(std::move(error));
  }
  Found found;
  MUSTER_ASSIGN(auto range, ReadPart(request, object.meta, found.head.headers));
  if (!range) {
    MUSTER_ASSIGN(range, ReadRange(request.Header("Range"), object.meta.size));
  }
  AddObjectHeaders(request, object.meta, found.head.headers);
  found.body = {std::move(object.file), 0, object.meta.size};
  if (range) {
    found.head.status = 206;
    found.body.offset = range->offset;
    found.body.length = range->length;
    if (range->length > 0)  // the last part may be empty
      found.head.headers.emplace_back(
          "Content-Range", fmt::format("bytes {}-{}/{}", range->offset,
                                       range->offset + range->length - 1, object.meta.size));
  } else if (WantsChecksum(request)) {
    AddChecksum(object.meta.checksum, found.head.headers);
  }
  return found;
}

S3Status Describe(const Call& call) {
  const S3Request& request = call.request;
  MUSTER_TRY(call.MayWrite(request.bucket, request.key));
  MUSTER_ASSIGN(const ObjectMeta given, MetaOfRequest(request));
  const bool keep = Lower(request.Extended("metadata-directive")) == "replace_new";
  return call.parts.store.Describe(request.bucket, request.key, [&](ObjectMeta& meta) -> S3Status {
    if (!keep) {
      meta.user.clear();
      meta.headers.clear();
      meta.content_type = given.content_type;
    } else if (!given.content_type.empty()) {
      meta.content_type = given.content_type;
    }
    for (const auto& [name, value] : given.user) {
      std::erase_if(meta.user, [&](const auto& old) { return old.first == name; });
      meta.user.emplace_back(name, value);
    }
    for (const auto& [name, value] : given.headers) {
      std::erase_if(meta.headers, [&](const auto& old) { return old.first == name; });
      meta.headers.emplace_back(name, value);
    }
    return {};
  });
}

}  // namespace

// Also HEAD, which has the same headers.
void GetObject(const CallPtr& call) {
  auto found = Read(*call);
  if (!found) return call->Fail(found.error());
  call->AnswerFile(std::move(found->head), std::move(found->body));
}

void SetMetadata(const CallPtr& call) {
  if (const auto status = Describe(*call); !status) return call->Fail(status.error());
  call->Answer({200, {}, {}});
}

}  // namespace muster::objects
