// Multipart uploads: begin, receive, list, abort. Completing is in complete_upload.cc.
#include <algorithm>

#include "base/text.h"
#include "objects/answers.h"
#include "objects/object_headers.h"
#include "objects/operations.h"
#include "objects/uploads.h"
#include "s3/uri.h"
#include "s3/xml.h"

namespace muster::objects {
namespace {

constexpr int64_t kMostListed = 1000;

std::string UploadId(const Call& call) {
  return std::string(call.request.Query("uploadId").value_or(""));
}

S3Result<std::shared_ptr<Upload>> FindUpload(const Call& call) {
  return call.parts.uploads.Find(call.request.bucket, call.request.key, UploadId(call));
}

S3Result<http::Response> Create(const Call& call) {
  const S3Request& request = call.request;
  MUSTER_TRY(call.MayWrite(request.bucket, request.key));
  UploadStart start{.bucket = request.bucket, .key = request.key};
  MUSTER_ASSIGN(start.meta, MetaOfRequest(request));
  MUSTER_TRY(call.parts.store.OpenBucket(request.bucket));
  start.created_ms = call.parts.clock.WallMs();
  const std::string_view algorithm = request.Header("x-amz-checksum-algorithm");
  const std::string_view type = request.Header("x-amz-checksum-type");
  start.checksum = s3::ChecksumKind(algorithm);
  if (!algorithm.empty() && !start.checksum) {
    return Refuse(S3Code::kInvalidRequest, "The checksum algorithm is not known.");
  }
  start.full_checksum = Lower(type) == "full_object" ||
                        (type.empty() && start.checksum == s3::DigestKind::kCrc64Nvme);
  const bool is_crc = start.checksum && *start.checksum != s3::DigestKind::kSha1 &&
                      *start.checksum != s3::DigestKind::kSha256;
  if (start.full_checksum && !is_crc) {
    return Refuse(S3Code::kInvalidRequest, "Only a CRC can be that of the full object.");
  }
  MUSTER_ASSIGN(const auto upload, call.parts.uploads.Create(std::move(start)));
  http::Response response = XmlResponse(s3::XmlWriter("InitiateMultipartUploadResult")
                                            .Add("Bucket", request.bucket)
                                            .Add("Key", request.key)
                                            .Add("UploadId", upload->start().id)
                                            .Finish());
  if (upload->start().checksum) {
    response.headers.emplace_back("x-amz-checksum-algorithm",
                                  s3::ChecksumName(*upload->start().checksum));
    response.headers.emplace_back("x-amz-checksum-type",
                                  upload->start().full_checksum ? "FULL_OBJECT" : "COMPOSITE");
  }
  return response;
}

S3Result<int64_t> NumberOf(const Call& call, std::string_view name, int64_t fallback) {
  const std::string_view text = call.request.Query(name).value_or("");
  if (text.empty()) return fallback;
  const auto number = ParseInt(text);
  if (!number || *number < 0) {
    return Refuse(S3Code::kInvalidArgument, std::string(name) + " must be a whole number from 0.");
  }
  return *number;
}

void AddOwners(s3::XmlWriter& xml) {
  for (const char* who : {"Initiator", "Owner"}) {
    xml.Open(who).Add("ID", kOwnerId).Add("DisplayName", kOwnerId).Close();
  }
}

S3Result<http::Response> Parts(const Call& call) {
  MUSTER_TRY(call.MayRead(call.request.bucket, call.request.key));
  MUSTER_ASSIGN(const auto upload, FindUpload(call));
  MUSTER_ASSIGN(const int64_t after, NumberOf(call, "part-number-marker", 0));
  MUSTER_ASSIGN(int64_t most, NumberOf(call, "max-parts", kMostListed));
  most = std::min(most, kMostListed);
  std::vector<Part> parts = upload->Parts();
  std::erase_if(parts, [&](const Part& part) { return part.number <= after; });
  const bool truncated = std::cmp_greater(parts.size(), most);
  if (truncated) parts.resize(static_cast<size_t>(most));
  s3::XmlWriter xml("ListPartsResult");
  xml.Add("Bucket", call.request.bucket)
      .Add("Key", call.request.key)
      .Add("UploadId", upload->start().id)
      .Add("StorageClass", "STANDARD")
      .Add("PartNumberMarker", after)
      .Add("NextPartNumberMarker", parts.empty() ? int64_t(0) : parts.back().number)
      .Add("MaxParts", most)
      .Add("IsTruncated", truncated ? "true" : "false");
  AddOwners(xml);
  if (upload->start().checksum) {
    xml.Add("ChecksumAlgorithm", s3::ChecksumName(*upload->start().checksum));
  }
  for (const Part& part : parts) {
    xml.Open("Part")
        .Add("PartNumber", part.number)
        .Add("LastModified", IsoTime(part.mtime_ms))
        .Add("ETag", Quoted(s3::Hex(part.md5)))
        .Add("Size", part.size);
    if (part.checksum) xml.Add(s3::ChecksumElement(part.checksum->kind), part.checksum->value);
    xml.Close();
  }
  return XmlResponse(xml.Finish());
}

struct UploadQuery {
  std::string prefix, delimiter, marker, id_marker;
  int64_t most = kMostListed;

  std::string CommonPrefix(const std::string& key) const {
    const size_t at = delimiter.empty() ? std::string::npos : key.find(delimiter, prefix.size());
    return at == std::string::npos ? "" : key.substr(0, at + delimiter.size());
  }
};

struct UploadPage {
  std::vector<std::shared_ptr<Upload>> uploads;
  std::vector<std::string> prefixes;
  bool truncated = false;
  std::string last_key, last_id;
};

// Drops what stands up to the marker: a whole key, or one upload of it.
void DropBefore(std::vector<std::shared_ptr<Upload>>& uploads, const UploadQuery& query) {
  if (query.marker.empty()) return;
  bool behind = false;  // the upload that the marker names
  std::erase_if(uploads, [&](const auto& upload) {
    const UploadStart& start = upload->start();
    if (start.key != query.marker) return start.key < query.marker;
    const bool drop = !behind;
    behind = behind || start.id == query.id_marker;
    return drop;
  });
}

UploadPage PickUploads(std::vector<std::shared_ptr<Upload>> uploads, const UploadQuery& query) {
  DropBefore(uploads, query);
  UploadPage page;
  for (const auto& upload : uploads) {
    const UploadStart& start = upload->start();
    if (!start.key.starts_with(query.prefix)) continue;
    const std::string common = query.CommonPrefix(start.key);
    const bool told = !page.prefixes.empty() && page.prefixes.back() == common;
    if (!common.empty() && (told || common == query.marker)) continue;
    const auto count = page.uploads.size() + page.prefixes.size();
    page.truncated = std::cmp_greater_equal(count, query.most);
    if (page.truncated) break;
    page.last_key = common.empty() ? start.key : common;
    page.last_id = common.empty() ? start.id : "";
    if (common.empty()) {
      page.uploads.push_back(upload);
    } else {
      page.prefixes.push_back(common);
    }
  }
  return page;
}

http::Response Document(const Call& call, const UploadQuery& query, const UploadPage& page) {
  const bool encoded = call.request.Query("encoding-type").value_or("") == "url";
  const auto shown = [&](std::string_view text) {
    return encoded ? s3::UriEncode(text, true) : std::string(text);
  };
  s3::XmlWriter xml("ListMultipartUploadsResult");
  xml.Add("Bucket", call.request.bucket)
      .Add("KeyMarker", shown(query.marker))
      .Add("UploadIdMarker", query.id_marker)
      .Add("Prefix", shown(query.prefix))
      .Add("MaxUploads", query.most)
      .Add("IsTruncated", page.truncated ? "true" : "false");
  if (!query.delimiter.empty()) xml.Add("Delimiter", shown(query.delimiter));
  if (encoded) xml.Add("EncodingType", "url");
  if (page.truncated) {
    xml.Add("NextKeyMarker", shown(page.last_key)).Add("NextUploadIdMarker", page.last_id);
  }
  for (const auto& upload : page.uploads) {
    xml.Open("Upload").Add("Key", shown(upload->start().key)).Add("UploadId", upload->start().id);
    AddOwners(xml);
    xml.Add("StorageClass", "STANDARD")
        .Add("Initiated", IsoTime(upload->start().created_ms))
        .Close();
  }
  for (const std::string& prefix : page.prefixes) {
    xml.Open("CommonPrefixes").Add("Prefix", shown(prefix)).Close();
  }
  return XmlResponse(xml.Finish());
}

S3Result<http::Response> List(const Call& call) {
  const auto text = [&](std::string_view name) {
    return std::string(call.request.Query(name).value_or(""));
  };
  UploadQuery query{text("prefix"), text("delimiter"), text("key-marker"),
                    text("upload-id-marker")};
  MUSTER_TRY(call.MayRead(call.request.bucket, query.prefix));
  MUSTER_TRY(call.parts.store.OpenBucket(call.request.bucket));
  MUSTER_ASSIGN(query.most, NumberOf(call, "max-uploads", kMostListed));
  query.most = std::min(query.most, kMostListed);
  return Document(call, query,
                  PickUploads(call.parts.uploads.InBucket(call.request.bucket), query));
}

class PartTarget final : public BodyTarget {
 public:
  PartTarget(CallPtr call, std::shared_ptr<PartWriter> writer)
      : call_(std::move(call)), writer_(std::move(writer)) {}

  S3Status Take(const s3::SharedPiece& piece) override {
    MUSTER_TRY(writer_->Write(piece));
    return {};
  }
  void Done(const BodySums& sums) override {
    writer_->Finish(sums, [call = call_](const S3Result<Part>& part) {
      if (!part) return call->Fail(part.error());
      http::Response response{200, {{"ETag", Quoted(s3::Hex(part->md5))}}, {}};
      if (part->checksum) {
        response.headers.emplace_back(s3::ChecksumHeader(part->checksum->kind),
                                      part->checksum->value);
      }
      call->Answer(std::move(response));
    });
  }

 private:
  const CallPtr call_;
  const std::shared_ptr<PartWriter> writer_;  // shared with its own commit
};

}  // namespace

void CreateUpload(const CallPtr& call) { call->Reply(Create(*call)); }
void ListParts(const CallPtr& call) { call->Reply(Parts(*call)); }
void ListUploads(const CallPtr& call) { call->Reply(List(*call)); }

void AbortUpload(const CallPtr& call) {
  const auto may = call->MayWrite(call->request.bucket, call->request.key);
  if (!may) return call->Fail(may.error());
  const auto upload = FindUpload(*call);
  if (!upload) return call->Fail(upload.error());
  if (!(*upload)->Close()) return call->Fail(S3Code::kNoSuchUpload);
  call->parts.uploads.Remove(*upload);
  call->Answer({204, {}, {}});
}

S3Result<std::unique_ptr<BodyTarget>> OpenPart(const CallPtr& call, const BodyCheck& check) {
  MUSTER_TRY(call->MayWrite(call->request.bucket, call->request.key));
  MUSTER_TRY(CheckHeaders(call->request));
  MUSTER_ASSIGN(const auto upload, FindUpload(*call));
  MUSTER_ASSIGN(const int64_t number, NumberOf(*call, "partNumber", 0));
  MUSTER_ASSIGN(auto writer, upload->Begin(static_cast<int>(std::min<int64_t>(number, INT32_MAX)),
                                           check.length()));
  return std::make_unique<PartTarget>(call, std::move(writer));
}

}  // namespace muster::objects
