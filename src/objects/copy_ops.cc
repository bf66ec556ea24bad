// Copies of objects and parts inside the store.
#include <future>

#include <fmt/format.h>

#include "base/text.h"
#include "objects/answers.h"
#include "objects/file_copy.h"
#include "objects/object_headers.h"
#include "objects/operations.h"
#include "objects/uploads.h"
#include "s3/uri.h"
#include "s3/xml.h"

namespace muster::objects {
namespace {

struct Source {
  std::string bucket, key;
  Object object;
};

// "/bucket/key" or "bucket/key", percent-encoded, optionally with "?versionId=null".
S3Result<Source> OpenSource(const Call& call) {
  std::string_view text = call.request.Extended("copy-source");
  if (const size_t version = text.rfind("?versionId="); version != std::string_view::npos) {
    if (text.substr(version) != "?versionId=null") {
      return Refuse(S3Code::kNotImplemented, "Objects have no versions here.");
    }
    text = text.substr(0, version);
  }
  const auto decoded = s3::UriDecode(text, false);
  if (!decoded) return Refuse(S3Code::kInvalidArgument, "The copy source has a broken escape.");
  std::string_view path = *decoded;
  if (path.starts_with('/')) path.remove_prefix(1);
  const size_t slash = path.find('/');
  if (slash == std::string_view::npos || slash + 1 == path.size()) {
    return Refuse(S3Code::kInvalidArgument, "The copy source must be bucket/key.");
  }
  Source source{std::string(path.substr(0, slash)), std::string(path.substr(slash + 1)), {}};
  MUSTER_TRY(call.MayRead(source.bucket, source.key));
  MUSTER_ASSIGN(source.object, call.parts.store.Find(source.bucket, source.key));
  MUSTER_TRY(CheckCopySource(call.request, source.object.meta));
  return source;
}

// The metadata of the copy: from the source, or from the request.
S3Result<ObjectMeta> MetaOfCopy(const Call& call, const Source& source) {
  const S3Request& request = call.request;
  const bool replace = Lower(request.Extended("metadata-directive")) == "replace";
  const bool new_tags = Lower(request.Extended("tagging-directive")) == "replace";
  MUSTER_ASSIGN(ObjectMeta given, MetaOfRequest(request));
  const bool onto_itself = source.bucket == request.bucket && source.key == request.key;
  // A storage class counts as a change, although the store has only one.
  if (onto_itself && !replace && request.Extended("storage-class").empty()) {
    return Refuse(S3Code::kInvalidRequest,
                  "A copy of an object onto itself must change its metadata or storage class.");
  }
  ObjectMeta meta = replace ? given : source.object.meta;
  meta.tags = new_tags ? given.tags : source.object.meta.tags;
  meta.appendable = false;
  meta.checksum = source.object.meta.checksum;
  meta.etag = source.object.meta.etag;
  meta.parts.clear();  // a copy consists of one piece
  meta.part_digests.clear();
  return meta;
}

S3Result<ObjectMeta> Put(const Call& call, TempFile file, ObjectMeta meta) {
  std::promise<S3Result<ObjectMeta>> promise;
  call.parts.store.Put(call.request.bucket, call.request.key, std::move(file), std::move(meta),
                       WriteConditionOf(call.request),
                       [&](S3Result<ObjectMeta> put) { promise.set_value(std::move(put)); });
  return promise.get_future().get();
}

S3Result<http::Response> Copy(const Call& call) {
  const S3Request& request = call.request;
  MUSTER_TRY(call.MayWrite(request.bucket, request.key));
  MUSTER_TRY(call.parts.store.OpenBucket(request.bucket));
  MUSTER_ASSIGN(const Source source, OpenSource(call));
  MUSTER_ASSIGN(ObjectMeta meta, MetaOfCopy(call, source));
  MUSTER_ASSIGN(TempFile file, call.parts.store.NewFile());
  const int from = source.object.file.get();
  const int64_t size = source.object.meta.size;
  if (meta.etag_is_md5()) {
    MUSTER_TRY(CopyBytes(from, 0, file.fd(), 0, size));
  } else {
    MUSTER_ASSIGN(const BodySums sums, CopyAndSum(from, 0, file.fd(), 0, size, std::nullopt));
    meta.etag = s3::Hex(sums.md5);
    if (meta.checksum && meta.checksum->composite) meta.checksum.reset();
  }
  MUSTER_ASSIGN(meta, Put(call, std::move(file), std::move(meta)));
  return XmlResponse(s3::XmlWriter("CopyObjectResult")
                         .Add("LastModified", IsoTime(meta.mtime_ms()))
                         .Add("ETag", Quoted(meta.etag))
                         .Finish());
}

S3Result<ByteRange> RangeOfSource(const Call& call, int64_t size) {
  const std::string_view text = call.request.Extended("copy-source-range");
  if (text.empty()) return ByteRange{0, size};
  const auto range = ReadRange(text, size);
  // Unlike the range of a read, it must be inside the object.
  const auto whole = [&](const ByteRange& one) {
    return text == fmt::format("bytes={}-{}", one.offset, one.offset + one.length - 1);
  };
  if (range && *range && whole(**range)) return **range;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool well_formed = (!range || *range) && is_digit(text[6]) && is_digit(text.back());
  if (well_formed) {
    return Refuse(
        S3Code::kInvalidRange,
        fmt::format("The range is not within the copy source, which has {} bytes.", size));
  }
  return Refuse(S3Code::kInvalidArgument, "The x-amz-copy-source-range must be bytes=FIRST-LAST.");
}

S3Result<http::Response> CopyToPart(const Call& call) {
  const S3Request& request = call.request;
  MUSTER_TRY(call.MayWrite(request.bucket, request.key));
  MUSTER_ASSIGN(const auto upload,
                call.parts.uploads.Find(request.bucket, request.key,
                                        std::string(*request.Query("uploadId"))));
  MUSTER_ASSIGN(const Source source, OpenSource(call));
  MUSTER_ASSIGN(const ByteRange range, RangeOfSource(call, source.object.meta.size));
  const auto number = ParseInt(request.Query("partNumber").value_or(""));
  if (!number || *number < 1 || *number > kMostParts) return Refuse(S3Code::kInvalidArgument);
  MUSTER_ASSIGN(const auto writer, upload->Begin(static_cast<int>(*number), range.length));
  MUSTER_ASSIGN(const BodySums sums,
                CopyAndSum(source.object.file.get(), range.offset, writer->fd(), writer->offset(),
                           range.length, upload->start().checksum));
  std::promise<S3Result<Part>> promise;
  writer->Finish(sums, [&](S3Result<Part> done) { promise.set_value(std::move(done)); });
  MUSTER_ASSIGN(const Part part, promise.get_future().get());
  s3::XmlWriter xml("CopyPartResult");
  xml.Add("LastModified", IsoTime(part.mtime_ms)).Add("ETag", Quoted(s3::Hex(part.md5)));
  if (part.checksum) xml.Add(s3::ChecksumElement(part.checksum->kind), part.checksum->value);
  return XmlResponse(xml.Finish());
}

}  // namespace

void CopyObject(const CallPtr& call) { call->Reply(Copy(*call)); }
void CopyPart(const CallPtr& call) { call->Reply(CopyToPart(*call)); }

}  // namespace muster::objects
