#include "transfer/s3_answers.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "s3/time_text.h"
#include "s3/uri.h"
#include "s3/xml.h"

namespace muster::transfer {
namespace {

constexpr s3::DigestKind kWholeKinds[] = {s3::DigestKind::kCrc32c, s3::DigestKind::kCrc64Nvme,
                                          s3::DigestKind::kCrc32, s3::DigestKind::kSha256,
                                          s3::DigestKind::kSha1};

Result<s3::XmlElement> ReadAnswer(std::string_view xml, std::string_view root_name) {
  auto root = s3::ReadXml(xml);
  if (!root) {
    return Fail(Code::kCorrupt, fmt::format("the server's answer is no XML: {}", root.error().text),
                "check that the endpoint is an object store");
  }
  if (root->name != root_name) {
    return Fail(Code::kCorrupt,
                fmt::format("the server answered with <{}>, expected <{}>", Printable(root->name),
                            root_name),
                "check that the endpoint is an object store");
  }
  return root;
}

// Rejects sizes that no object can have.
int64_t SizeOf(std::string_view text) {
  const auto size = ParseInt(Trim(text));
  return size && *size >= 0 ? *size : 0;
}

std::string Decoded(std::string_view text, bool encoded) {
  if (!encoded) return std::string(text);
  return s3::UriDecode(text, true).value_or(std::string(text));
}

// Reads the file of an object, which only a store on this machine reports.
void ReadFile(const s3::XmlElement& contents, ObjectInfo& info) {
  const auto path = s3::UriDecode(contents.TextOf("File"), false);
  const auto time = ParseInt(Trim(contents.TextOf("FileTime")));
  if (!path || path->empty() || !time) return;
  info.file = NearFile{*path, *time};
  for (const s3::DigestKind kind : kWholeKinds) {
    const std::string_view value = Trim(contents.TextOf(s3::ChecksumElement(kind)));
    if (!value.empty()) info.checksum = s3::Checksum{kind, std::string(value)};
  }
}

constexpr std::string_view kBucketHere = "BUCKET";
struct Advice {
  std::string_view s3_code, next;
};
constexpr Advice kAdvice[] = {
    {"NoSuchBucket", "make it: muster objects mb s3://BUCKET"},
    {"AccessDenied", "check that this key may do that"},
    {"SignatureDoesNotMatch", "check the secret key"},
    {"InvalidAccessKeyId", "check the access key and the endpoint"},
    {"RequestTimeTooSkewed", "set this machine's clock"},
    {"BucketNotEmpty", "remove what is in it: muster objects rm -r s3://BUCKET"},
    {"StorageFull", "free space at the server"},
};

Code CodeOf(int status) {
  switch (status) {
    case 404:
      return Code::kNotFound;
    case 401:
    case 403:
      return Code::kDenied;
    case 409:
    case 412:
      return Code::kConflict;
    case 507:
      return Code::kNoSpace;
    case 429:
      return Code::kUnavailable;
    default:
      return status >= 500 ? Code::kUnavailable : Code::kInvalid;
  }
}

// 32 hex digits, and no encryption that changes the ETag.
bool IsMd5(const http::Headers& headers, std::string_view etag) {
  const std::string_view cipher = http::FindHeader(headers, "x-amz-server-side-encryption");
  const bool hidden =
      cipher.starts_with("aws:") ||
      !http::FindHeader(headers, "x-amz-server-side-encryption-customer-algorithm").empty();
  return etag.size() == 32 && s3::FromHex(etag) && !hidden;
}

}  // namespace

std::string Unquoted(std::string_view etag) {
  std::string_view text = Trim(etag);
  if (text.starts_with("W/")) text.remove_prefix(2);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return std::string(text);
}

Result<ListPage> ReadListPage(std::string_view xml) {
  MUSTER_ASSIGN(const s3::XmlElement root, ReadAnswer(xml, "ListBucketResult"));
  const bool encoded = Trim(root.TextOf("EncodingType")) == "url";
  ListPage page;
  for (const s3::XmlElement& child : root.children) {
    if (child.name == "Contents") {
      ObjectInfo info;
      info.key = Decoded(child.TextOf("Key"), encoded);
      info.size = SizeOf(child.TextOf("Size"));
      info.mtime_ms = s3::ParseIsoDate(Trim(child.TextOf("LastModified"))).value_or(0);
      info.etag = Unquoted(child.TextOf("ETag"));
      ReadFile(child, info);
      if (info.key.empty())
        return Fail(Code::kCorrupt, "the server listed an object without a key");
      page.objects.push_back(std::move(info));
    } else if (child.name == "CommonPrefixes") {
      page.prefixes.push_back(Decoded(child.TextOf("Prefix"), encoded));
    }
  }
  if (Trim(root.TextOf("IsTruncated")) == "true") {
    page.next = root.TextOf("NextContinuationToken");
    if (page.next.empty()) {
      return Fail(Code::kCorrupt, "the server cut a listing and did not say how to go on");
    }
  }
  return page;
}

Result<std::vector<BucketInfo>> ReadBuckets(std::string_view xml) {
  MUSTER_ASSIGN(const s3::XmlElement root, ReadAnswer(xml, "ListAllMyBucketsResult"));
  std::vector<BucketInfo> buckets;
  const s3::XmlElement* list = root.Find("Buckets");
  for (const s3::XmlElement& child : list ? list->children : std::vector<s3::XmlElement>()) {
    buckets.push_back({std::string(child.TextOf("Name")),
                       s3::ParseIsoDate(Trim(child.TextOf("CreationDate"))).value_or(0)});
  }
  return buckets;
}

Result<NearAnswer> ReadNear(std::string_view xml) {
  MUSTER_ASSIGN(const s3::XmlElement root, ReadAnswer(xml, "Near"));
  return NearAnswer{std::string(root.TextOf("Folder")), std::string(root.TextOf("Proof"))};
}

Result<std::string> ReadStamp(std::string_view xml) {
  MUSTER_ASSIGN(const s3::XmlElement root, ReadAnswer(xml, "Stamp"));
  std::string value(Trim(root.TextOf("Value")));
  if (value.empty()) return Fail(Code::kCorrupt, "the server told an empty stamp");
  return value;
}

std::string WriteAdopt(std::span<const Offer> offers) {
  s3::XmlWriter xml("Adopt", "");
  for (const Offer& offer : offers) {
    xml.Open("File").Add("Name", offer.name).Add("Key", offer.key);
    xml.Add("ChecksumCRC32C", offer.crc32c).Close();
  }
  return xml.Finish();
}

Result<std::string> ReadUploadId(std::string_view xml) {
  MUSTER_ASSIGN(const s3::XmlElement root, ReadAnswer(xml, "InitiateMultipartUploadResult"));
  std::string id(root.TextOf("UploadId"));
  if (id.empty()) return Fail(Code::kCorrupt, "the server began an upload without an id");
  return id;
}

Result<std::string> ReadResultETag(std::string_view xml) {
  auto root = s3::ReadXml(xml);
  if (!root) return Fail(Code::kCorrupt, "the server's answer is no XML: " + root.error().text);
  return Unquoted(root->TextOf("ETag"));
}

Result<std::vector<DeleteFault>> ReadDeleteFaults(std::string_view xml) {
  MUSTER_ASSIGN(const s3::XmlElement root, ReadAnswer(xml, "DeleteResult"));
  std::vector<DeleteFault> faults;
  for (const s3::XmlElement& child : root.children) {
    if (child.name != "Error") continue;
    faults.push_back({std::string(child.TextOf("Key")), std::string(child.TextOf("Code")),
                      std::string(child.TextOf("Message"))});
  }
  return faults;
}

ObjectInfo ReadObjectHead(const http::Response& response) {
  const http::Headers& headers = response.headers;
  ObjectInfo info;
  info.size = SizeOf(http::FindHeader(headers, "Content-Length"));
  const std::string_view range = http::FindHeader(headers, "Content-Range");
  if (const size_t slash = range.rfind('/'); slash != std::string_view::npos) {
    info.size = SizeOf(range.substr(slash + 1));
  }
  info.mtime_ms = s3::ParseHttpDate(Trim(http::FindHeader(headers, "Last-Modified"))).value_or(0);
  info.etag = Unquoted(http::FindHeader(headers, "ETag"));
  info.etag_is_md5 = IsMd5(headers, info.etag);
  const bool composite = http::FindHeader(headers, "x-amz-checksum-type") == "COMPOSITE";
  for (const s3::DigestKind kind : kWholeKinds) {
    const std::string_view value = Trim(http::FindHeader(headers, s3::ChecksumHeader(kind)));
    if (value.empty() || composite || value.find('-') != std::string_view::npos) continue;
    info.checksum = s3::Checksum{kind, std::string(value)};
    break;
  }
  for (const auto& [name, value] : headers) {
    const std::string lower = Lower(name);
    if (lower == "content-type" || lower.starts_with("x-amz-meta-")) {
      info.kept.emplace_back(lower, value);
    }
  }
  return info;
}

std::string WriteComplete(std::span<const CompletedPart> parts) {
  s3::XmlWriter xml("CompleteMultipartUpload");
  for (const CompletedPart& part : parts) {
    xml.Open("Part").Add("PartNumber", int64_t{part.number}).Add("ETag", '"' + part.etag + '"');
    if (!part.crc32c.empty()) xml.Add("ChecksumCRC32C", part.crc32c);
    xml.Close();
  }
  return xml.Finish();
}

bool FitsXml(std::string_view key) {
  return IsUtf8(key) &&
         std::ranges::none_of(key, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

std::string WriteDelete(std::span<const std::string> keys) {
  s3::XmlWriter xml("Delete");
  xml.Add("Quiet", "true");
  for (const std::string& key : keys) xml.Open("Object").Add("Key", key).Close();
  return xml.Finish();
}

std::string CompositeETag(std::span<const CompletedPart> parts) {
  std::string md5s;
  for (const CompletedPart& part : parts) {
    const auto md5 = s3::FromHex(part.etag);
    if (!md5 || md5->size() != 16) return {};
    md5s += *md5;
  }
  return fmt::format("{}-{}", s3::Hex(s3::DigestOf(s3::DigestKind::kMd5, md5s)), parts.size());
}

bool HoldsError(const http::Response& response) {
  const auto root = s3::ReadXml(response.body);
  return root && root->name == "Error";
}

Trouble TroubleOf(const http::Response& response, std::string_view what, std::string_view bucket) {
  Trouble trouble;
  trouble.status = response.status;
  trouble.server_wall_ms =
      s3::ParseHttpDate(Trim(http::FindHeader(response.headers, "Date"))).value_or(0);
  std::string message;
  if (const auto root = s3::ReadXml(response.body); root && root->name == "Error") {
    trouble.s3_code = root->TextOf("Code");
    message = Printable(root->TextOf("Message"));
  }
  trouble.error.code = CodeOf(response.status);
  if (trouble.s3_code == "SlowDown" || trouble.s3_code == "InternalError") {
    trouble.error.code = Code::kUnavailable;
  }
  while (message.ends_with('.')) message.pop_back();
  if (message.empty()) message = response.status == 404 ? "it does not exist" : "it was refused";
  trouble.error.text = fmt::format("cannot {}: {} ({}HTTP {})", what, message,
                                   trouble.s3_code.empty() ? "" : Printable(trouble.s3_code) + ", ",
                                   response.status);
  for (const auto& [s3_code, next] : kAdvice) {
    if (trouble.s3_code == s3_code) trouble.error.next = next;
  }
  // A copy names two buckets, but its source was found before, so the destination bucket is
  // missing.
  const size_t placeholder = trouble.error.next.find(kBucketHere);
  if (placeholder != std::string::npos && !bucket.empty()) {
    trouble.error.next.replace(placeholder, kBucketHere.size(), bucket);
  }
  return trouble;
}

}  // namespace muster::transfer
