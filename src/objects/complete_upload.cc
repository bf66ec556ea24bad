// The end of a multipart upload: the parts that the client lists become the object.
#include <future>

#include "base/text.h"
#include "objects/answers.h"
#include "objects/object_headers.h"
#include "objects/operations.h"
#include "objects/uploads.h"
#include "s3/uri.h"
#include "s3/xml.h"

namespace muster::objects {
namespace {

struct WantedPart {
  int number = 0;
  std::string etag;  // bare, lower case
  std::string checksum;
};

std::string BareEtag(std::string_view text) {
  std::string etag = Lower(Trim(text));
  std::erase(etag, '"');
  return etag;
}

S3Result<std::vector<WantedPart>> ReadOrder(const Call& call,
                                            const std::optional<s3::DigestKind>& checksum) {
  MUSTER_ASSIGN(const s3::XmlElement root, ReadXml(call.body));
  if (root.name != "CompleteMultipartUpload") return Refuse(S3Code::kMalformedXml);
  std::vector<WantedPart> wanted;
  for (const s3::XmlElement& child : root.children) {
    if (child.name != "Part") continue;
    const auto number = ParseInt(Trim(child.TextOf("PartNumber")));
    if (!number || *number < 1 || *number > kMostParts) return Refuse(S3Code::kMalformedXml);
    if (!wanted.empty() && *number <= wanted.back().number) {
      return Refuse(S3Code::kInvalidPartOrder);
    }
    WantedPart part{static_cast<int>(*number), BareEtag(child.TextOf("ETag")), {}};
    if (checksum) part.checksum = Trim(child.TextOf(s3::ChecksumElement(*checksum)));
    wanted.push_back(std::move(part));
  }
  if (wanted.empty()) return Refuse(S3Code::kMalformedXml);
  return wanted;
}

S3Result<std::vector<Part>> PickParts(const Upload& upload, const std::vector<WantedPart>& wanted) {
  const std::vector<Part> all = upload.Parts();
  std::vector<Part> picked;
  for (const WantedPart& want : wanted) {
    const auto part = std::ranges::find(all, want.number, &Part::number);
    if (part == all.end() || s3::Hex(part->md5) != want.etag) return Refuse(S3Code::kInvalidPart);
    if (!want.checksum.empty() && part->checksum && part->checksum->value != want.checksum) {
      return Refuse(S3Code::kInvalidPart);
    }
    if (&want != &wanted.back() && part->size < kSmallestPart) {
      return Refuse(S3Code::kEntityTooSmall);
    }
    picked.push_back(*part);
  }
  return picked;
}

std::string MultipartEtag(const std::vector<std::string>& md5s) {
  s3::Digest digest(s3::DigestKind::kMd5);
  for (const std::string& md5 : md5s) digest.Add(md5);
  return s3::Hex(digest.Finish()) + "-" + std::to_string(md5s.size());
}

// Of the object, from those of its parts; nothing when one has none.
std::optional<s3::Checksum> ObjectChecksum(const UploadStart& start,
                                           const std::vector<Part>& parts) {
  if (!start.checksum) return std::nullopt;
  const s3::DigestKind kind = *start.checksum;
  s3::Digest of_parts(kind);
  std::string whole = s3::DigestOf(kind, "");
  for (const Part& part : parts) {
    const auto raw = part.checksum && part.checksum->kind == kind
                         ? s3::FromBase64(part.checksum->value)
                         : std::nullopt;
    if (!raw) return std::nullopt;
    of_parts.Add(*raw);
    if (start.full_checksum) whole = s3::CombineChecksums(kind, whole, *raw, part.size);
  }
  if (start.full_checksum) return s3::Checksum{kind, s3::Base64(whole), false};
  return s3::Checksum{kind, s3::Base64(of_parts.Finish()) + "-" + std::to_string(parts.size()),
                      true};
}

// A checksum that the client gives for the whole must be ours.
S3Status CheckWhole(const S3Request& request, const std::optional<s3::Checksum>& checksum) {
  if (!checksum || checksum->composite) return {};
  const std::string_view given = Trim(request.Header(s3::ChecksumHeader(checksum->kind)));
  if (given.empty() || given == checksum->value) return {};
  return Refuse(S3Code::kBadDigest);
}

// So must a size: parts may be missing from the list.
S3Status CheckSize(const S3Request& request, int64_t size) {
  const std::string_view given = Trim(request.Header("x-amz-mp-object-size"));
  if (given.empty() || ParseInt(given) == size) return {};
  return Refuse(S3Code::kInvalidRequest,
                fmt::format("The listed parts are {} bytes, not {} as x-amz-mp-object-size says.",
                            size, Printable(given)));
}

http::Response Document(const Call& call, const ObjectMeta& meta) {
  s3::XmlWriter xml("CompleteMultipartUploadResult");
  xml.Add("Location", fmt::format("http://{}/{}/{}", call.request.Header("Host"),
                                  call.request.bucket, s3::UriEncode(call.request.key, true)))
      .Add("Bucket", call.request.bucket)
      .Add("Key", call.request.key)
      .Add("ETag", Quoted(meta.etag));
  if (meta.checksum) {
    xml.Add(s3::ChecksumElement(meta.checksum->kind), meta.checksum->value)
        .Add("ChecksumType", meta.checksum->composite ? "COMPOSITE" : "FULL_OBJECT");
  }
  return XmlResponse(xml.Finish());
}

// A client that did not hear the answer asks again: the object it made is the answer.
S3Result<http::Response> AlreadyDone(const Call& call) {
  MUSTER_ASSIGN(const auto wanted, ReadOrder(call, std::nullopt));
  std::vector<std::string> md5s;
  for (const WantedPart& part : wanted) md5s.push_back(s3::FromHex(part.etag).value_or(""));
  const auto object = call.parts.store.Find(call.request.bucket, call.request.key);
  if (!object || object->meta.etag != MultipartEtag(md5s)) return Refuse(S3Code::kNoSuchUpload);
  MUSTER_TRY(CheckSize(call.request, object->meta.size));
  return Document(call, object->meta);
}

S3Result<ObjectMeta> PutParts(const Call& call, Upload& upload, const std::vector<Part>& parts) {
  ObjectMeta meta = upload.start().meta;
  std::vector<std::string> md5s;
  for (const Part& part : parts) {
    md5s.push_back(part.md5);
    AddPart(meta.parts, part.size);
  }
  meta.etag = MultipartEtag(md5s);
  meta.checksum = ObjectChecksum(upload.start(), parts);
  MUSTER_TRY(CheckWhole(call.request, meta.checksum));
  MUSTER_ASSIGN(TempFile file, upload.Assemble(parts));
  std::promise<S3Result<ObjectMeta>> promise;
  call.parts.store.Put(call.request.bucket, call.request.key, std::move(file), std::move(meta),
                       WriteConditionOf(call.request),
                       [&](S3Result<ObjectMeta> put) { promise.set_value(std::move(put)); });
  return promise.get_future().get();
}

S3Result<http::Response> Complete(const Call& call) {
  const S3Request& request = call.request;
  MUSTER_TRY(call.MayWrite(request.bucket, request.key));
  const auto upload =
      call.parts.uploads.Find(request.bucket, request.key, std::string(*request.Query("uploadId")));
  if (!upload) return AlreadyDone(call);
  MUSTER_ASSIGN(const auto wanted, ReadOrder(call, (*upload)->start().checksum));
  MUSTER_ASSIGN(const auto parts, PickParts(**upload, wanted));
  int64_t size = 0;
  for (const Part& part : parts) size += part.size;
  MUSTER_TRY(CheckSize(request, size));
  if (!(*upload)->Close()) return Refuse(S3Code::kNoSuchUpload);
  const auto meta = PutParts(call, **upload, parts);
  if (!meta) {
    (*upload)->Reopen();
    return std::unexpected(meta.error());
  }
  call.parts.uploads.Remove(*upload);
  return Document(call, *meta);
}

}  // namespace

void CompleteUpload(const CallPtr& call) { call->Reply(Complete(*call)); }

}  // namespace muster::objects
