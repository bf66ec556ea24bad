// CompleteMultipartUpload: the listed parts become the object.
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
  std::string etag;  // without quotes, lower case
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

// The type of the object's checksum: as in CreateMultipartUpload, or as in this request.
struct ChecksumPlan {
  std::optional<s3::DigestKind> kind;
  bool full = false;
};

S3Result<ChecksumPlan> PlanChecksum(const S3Request& request, const UploadStart& start,
                                    const std::optional<s3::Checksum>& given) {
  ChecksumPlan plan{start.checksum, start.full_checksum};
  if (!plan.kind && given) plan = {given->kind, true};
  if (given && given->kind != *plan.kind) {
    return Refuse(S3Code::kInvalidRequest,
                  fmt::format("The upload was created using a {} checksum, and the request to "
                              "complete it has a {} checksum.",
                              s3::ChecksumName(*plan.kind), s3::ChecksumName(given->kind)));
  }
  const std::string type = Lower(Trim(request.Header("x-amz-checksum-type")));
  if (!type.empty() && plan.kind && (type == "full_object") != plan.full) {
    return Refuse(S3Code::kInvalidRequest,
                  fmt::format("The upload was created using the {} checksum mode. The complete "
                              "request must use the same checksum mode.",
                              plan.full ? "FULL_OBJECT" : "COMPOSITE"));
  }
  if (plan.kind && plan.full && !s3::IsCrc(*plan.kind)) {
    return Refuse(S3Code::kInvalidRequest,
                  "The upload was created without a checksum algorithm; only a CRC of the full "
                  "object can be given when it is completed.");
  }
  return plan;
}

// The raw digest of each part: as received, or computed from its bytes if the client sent another
// kind.
S3Result<std::vector<std::string>> PartDigests(const Upload& upload, const std::vector<Part>& parts,
                                               s3::DigestKind kind) {
  std::vector<std::string> digests;
  for (const Part& part : parts) {
    const bool came = part.checksum && part.checksum->kind == kind;
    auto raw = came ? s3::FromBase64(part.checksum->value) : std::nullopt;
    if (!raw) {
      MUSTER_ASSIGN(raw, upload.DigestOfPart(part, kind));
    }
    digests.push_back(std::move(*raw));
  }
  return digests;
}

s3::Checksum ObjectChecksum(const ChecksumPlan& plan, const std::vector<Part>& parts,
                            const std::vector<std::string>& digests) {
  const s3::DigestKind kind = *plan.kind;
  s3::Digest of_parts(kind);
  std::string whole = s3::DigestOf(kind, "");
  for (size_t i = 0; i < parts.size(); ++i) {
    of_parts.Add(digests[i]);
    if (plan.full) whole = s3::CombineChecksums(kind, whole, digests[i], parts[i].size);
  }
  if (plan.full) return {kind, s3::Base64(whole), false};
  return {kind, s3::Base64(of_parts.Finish()) + "-" + std::to_string(parts.size()), true};
}

// Verifies the client's checksum of the whole object; a composite one may lack the number of parts.
S3Status CheckWhole(const std::optional<s3::Checksum>& given,
                    const std::optional<s3::Checksum>& own) {
  if (!given) return {};
  const bool same =
      own && own->kind == given->kind &&
      (given->value == own->value ||
       (own->composite && given->value == own->value.substr(0, own->value.find('-'))));
  if (same) return {};
  return Refuse(S3Code::kBadDigest,
                fmt::format("The {} you specified did not match the calculated checksum.",
                            s3::ChecksumName(given->kind)));
}

// Verifies the declared size: parts may be missing in the list.
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

// A client that missed the response repeats the request: the existing object is the result.
S3Result<http::Response> AlreadyDone(const Call& call) {
  MUSTER_ASSIGN(const auto wanted, ReadOrder(call, std::nullopt));
  std::vector<std::string> md5s;
  for (const WantedPart& part : wanted) md5s.push_back(s3::FromHex(part.etag).value_or(""));
  const auto object = call.parts.store.Find(call.request.bucket, call.request.key);
  if (!object || object->meta.etag != MultipartEtag(md5s)) return Refuse(S3Code::kNoSuchUpload);
  MUSTER_TRY(CheckSize(call.request, object->meta.size));
  MUSTER_ASSIGN(const auto given, GivenChecksum(call.request));
  MUSTER_TRY(CheckWhole(given, object->meta.checksum));
  return Document(call, object->meta);
}

S3Status AddChecksums(const Call& call, const Upload& upload, const std::vector<Part>& parts,
                      ObjectMeta& meta) {
  MUSTER_ASSIGN(const auto given, GivenChecksum(call.request));
  MUSTER_ASSIGN(const ChecksumPlan plan, PlanChecksum(call.request, upload.start(), given));
  if (!plan.kind) return {};
  MUSTER_ASSIGN(const auto digests, PartDigests(upload, parts, *plan.kind));
  meta.checksum = ObjectChecksum(plan, parts, digests);
  MUSTER_TRY(CheckWhole(given, meta.checksum));
  meta.part_digests = Join(digests, "");
  return {};
}

S3Result<ObjectMeta> PutParts(const Call& call, Upload& upload, const std::vector<Part>& parts) {
  ObjectMeta meta = upload.start().meta;
  std::vector<std::string> md5s;
  for (const Part& part : parts) {
    md5s.push_back(part.md5);
    AddPart(meta.parts, part.size);
  }
  meta.etag = MultipartEtag(md5s);
  MUSTER_TRY(AddChecksums(call, upload, parts, meta));
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
