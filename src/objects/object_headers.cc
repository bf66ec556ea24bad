#include "objects/object_headers.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "s3/time_text.h"
#include "s3/uri.h"

namespace muster::objects {
namespace {

constexpr std::string_view kKeptHeaders[] = {"Cache-Control", "Content-Disposition",
                                             "Content-Language", "Expires"};
// S3 permits 2 KiB of metadata, OBS 8 KiB.
constexpr size_t kMostUserBytes = 2 << 10, kMostUserBytesObs = 8 << 10;
constexpr size_t kLongestTagName = 128, kLongestTagValue = 256;  // characters
constexpr std::string_view kDefaultType = "binary/octet-stream";

// "gzip" for "gzip,aws-chunked": the latter is a transfer coding only.
std::string StoredEncoding(std::string_view header) {
  std::vector<std::string> kept;
  for (const std::string& one : Split(header, ',')) {
    const std::string_view coding = Trim(one);
    if (!coding.empty() && Lower(coding) != "aws-chunked") kept.emplace_back(coding);
  }
  return Join(kept, ", ");
}

size_t CountCharacters(std::string_view utf8) {
  return size_t(std::ranges::count_if(utf8, [](char c) { return (c & 0xC0) != 0x80; }));
}

S3Status AddUserMetadata(const S3Request& request, ObjectMeta& meta) {
  size_t total = 0;
  for (const auto& [header, value] : request.headers) {
    const bool ours =
        BeginsWithWord(header, "x-amz-meta-") || BeginsWithWord(header, "x-obs-meta-");
    if (!ours) continue;
    std::string name =
        Lower(std::string_view(header).substr(std::string_view("x-amz-meta-").size()));
    total += name.size() + value.size();
    const auto old = std::ranges::find(meta.user, name, &Pairs::value_type::first);
    if (old == meta.user.end()) {
      meta.user.emplace_back(std::move(name), value);
    } else {
      old->second += "," + value;
    }
  }
  if (total > (request.obs ? kMostUserBytesObs : kMostUserBytes))
    return Refuse(S3Code::kMetadataTooLarge);
  return {};
}

// Query parameters of a GET that override stored headers.
std::string_view Override(const S3Request& request, std::string_view header) {
  if (request.query.empty()) return {};
  return request.Query("response-" + Lower(header)).value_or("");
}

}  // namespace

std::string Quoted(std::string_view etag) { return "\"" + std::string(etag) + "\""; }

std::unexpected<S3Error> RefuseHeader(const std::string& name) {
  if (name.substr(6).starts_with("server-side-encryption")) {
    return Refuse(S3Code::kNotImplemented,
                  "This store does not encrypt objects. Leave the header " + name +
                      " out, and keep the data folder on an encrypted disk.");
  }
  return Refuse(S3Code::kNotImplemented, "This store does not support the header " + name + ".");
}

S3Status CheckHeaders(const S3Request& request) {
  for (const auto& [header, value] : request.headers) {
    if (!BeginsWithWord(header, "x-amz-") && !BeginsWithWord(header, "x-obs-")) continue;
    const std::string name = Lower(header);
    const std::string_view rest = std::string_view(name).substr(6);
    if (rest.starts_with("server-side-encryption") || rest.starts_with("object-lock-") ||
        rest.starts_with("website-redirect") || rest == "mfa" || rest == "write-offset-bytes") {
      return RefuseHeader(name);
    }
    const bool owner_only =
        value.empty() || value == "private" || value.starts_with("bucket-owner-");
    if ((rest == "acl" && !owner_only) || rest.starts_with("grant-")) {
      return Refuse(S3Code::kAccessControlListNotSupported);
    }
  }
  return {};
}

S3Result<ObjectMeta> MetaOfRequest(const S3Request& request) {
  MUSTER_TRY(CheckHeaders(request));
  ObjectMeta meta;
  meta.content_type = Trim(request.Header("Content-Type"));
  if (meta.content_type == kDefaultType) meta.content_type.clear();
  for (const std::string_view name : kKeptHeaders) {
    if (const auto value = request.Header(name); !value.empty())
      meta.headers.emplace_back(name, value);
  }
  if (auto encoding = StoredEncoding(request.Header("Content-Encoding")); !encoding.empty()) {
    meta.headers.emplace_back("Content-Encoding", std::move(encoding));
  }
  MUSTER_TRY(AddUserMetadata(request, meta));
  MUSTER_ASSIGN(meta.tags, ReadTagHeader(request.Extended("tagging")));
  return meta;
}

void AddChecksum(const std::optional<s3::Checksum>& checksum, http::Headers& headers) {
  if (!checksum) return;
  headers.emplace_back(s3::ChecksumHeader(checksum->kind), checksum->value);
  headers.emplace_back("x-amz-checksum-type", checksum->composite ? "COMPOSITE" : "FULL_OBJECT");
}

void AddObjectHeaders(const S3Request& request, const ObjectMeta& meta, http::Headers& headers) {
  headers.emplace_back("ETag", Quoted(meta.etag));
  headers.emplace_back("Last-Modified", s3::HttpDate(meta.mtime_ms()));
  headers.emplace_back("Accept-Ranges", "bytes");
  const std::string_view type = Override(request, "Content-Type");
  headers.emplace_back("Content-Type", !type.empty()                ? type
                                       : !meta.content_type.empty() ? meta.content_type
                                                                    : kDefaultType);
  for (const std::string_view name : {"Cache-Control", "Content-Disposition", "Content-Encoding",
                                      "Content-Language", "Expires"}) {
    const auto own = std::ranges::find(meta.headers, name, &Pairs::value_type::first);
    const std::string_view other = Override(request, name);
    if (!other.empty()) {
      headers.emplace_back(name, other);
    } else if (own != meta.headers.end()) {
      headers.emplace_back(name, own->second);
    }
  }
  for (const auto& [name, value] : meta.user) {
    headers.emplace_back(request.Named("meta-" + name), value);
  }
  if (!meta.tags.empty()) {
    headers.emplace_back(request.Named("tagging-count"), std::to_string(meta.tags.size()));
  }
  if (meta.appendable) {
    headers.emplace_back("x-obs-object-type", "Appendable");
    headers.emplace_back("x-obs-next-append-position", std::to_string(meta.size));
  }
}

S3Result<Pairs> ReadTagHeader(std::string_view text) {
  Pairs tags;
  for (const std::string& pair : Split(text, '&')) {
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    auto name = s3::UriDecode(pair.substr(0, equals), true);
    auto value = s3::UriDecode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return Refuse(S3Code::kInvalidTag);
    tags.emplace_back(std::move(*name), std::move(*value));
  }
  MUSTER_TRY(CheckTags(tags, kMostObjectTags));
  return tags;
}

S3Result<Pairs> ReadTagDocument(std::string_view xml, size_t most) {
  MUSTER_ASSIGN(const s3::XmlElement root, ReadXml(xml));
  const s3::XmlElement* set = root.Find("TagSet");
  if (root.name != "Tagging" || set == nullptr) return Refuse(S3Code::kMalformedXml);
  Pairs tags;
  for (const s3::XmlElement& tag : set->children) {
    if (tag.name != "Tag") return Refuse(S3Code::kMalformedXml);
    tags.emplace_back(tag.TextOf("Key"), tag.TextOf("Value"));
  }
  MUSTER_TRY(CheckTags(tags, most));
  return tags;
}

S3Status CheckTags(const Pairs& tags, size_t most) {
  std::set<std::string_view> names;
  for (const auto& [name, value] : tags) {
    if (!IsUtf8(name) || !IsUtf8(value)) return Refuse(S3Code::kInvalidTag);
    if (name.empty() || CountCharacters(name) > kLongestTagName) {
      return Refuse(S3Code::kInvalidTag, "The TagKey you have provided is invalid");
    }
    if (CountCharacters(value) > kLongestTagValue) {
      return Refuse(S3Code::kInvalidTag, "The TagValue you have provided is invalid");
    }
    if (!names.insert(name).second) {
      return Refuse(S3Code::kInvalidTag, "Cannot provide multiple Tags with the same key");
    }
  }
  if (tags.size() > most) {
    return Refuse(S3Code::kInvalidTag,
                  "There are more tags than the limit of " + std::to_string(most) + ".");
  }
  return {};
}

}  // namespace muster::objects
