// ListObjects, versions 1 and 2.
#include <algorithm>

#include "base/text.h"
#include "objects/answers.h"
#include "objects/key_path.h"
#include "objects/object_headers.h"
#include "objects/operations.h"
#include "s3/uri.h"
#include "s3/xml.h"

namespace muster::objects {
namespace {

constexpr int kMostKeys = 1000;

struct Question {
  ListQuery query;
  bool url_encoded = false;
  bool owner = false;
  bool near = false;  // include the paths of files
};

S3Result<Question> ReadQuestion(const Call& call) {
  const S3Request& request = call.request;
  Question question;
  question.query.prefix = request.Query("prefix").value_or("");
  question.query.delimiter = request.Query("delimiter").value_or("");
  if (const auto most = request.Query("max-keys"); most && !most->empty()) {
    const auto number = ParseInt(*most);
    if (!number || *number < 0) {
      return Refuse(S3Code::kInvalidArgument, "max-keys must be a whole number from 0.");
    }
    question.query.most = static_cast<int>(std::min<int64_t>(*number, kMostKeys));
  }
  const std::string_view encoding = request.Query("encoding-type").value_or("");
  if (!encoding.empty() && encoding != "url") {
    return Refuse(S3Code::kInvalidArgument, "encoding-type must be url.");
  }
  question.url_encoded = encoding == "url";
  return question;
}

std::string Shown(const Question& question, std::string_view text) {
  return question.url_encoded ? s3::UriEncode(text, true) : std::string(text);
}

// Useful only to a client that can read the folder of the store (inbox.h).
void AddFile(s3::XmlWriter& xml, const ListedKey& key) {
  const Form form = key.beside ? Form::kBeside : Form::kPlain;
  xml.Add("File", s3::UriEncode(PathOfKey(key.key, form), true))
      .Add("FileTime", std::to_string(key.mtime_ns));
  if (key.checksum && !key.checksum->composite) {
    xml.Add(s3::ChecksumElement(key.checksum->kind), key.checksum->value);
  }
}

void AddPrefixes(s3::XmlWriter& xml, const Question& question, const ListPage& page) {
  for (const std::string& prefix : page.prefixes) {
    xml.Open("CommonPrefixes").Add("Prefix", Shown(question, prefix)).Close();
  }
}

void AddItems(s3::XmlWriter& xml, const Question& question, const ListPage& page) {
  for (const ListedKey& key : page.keys) {
    xml.Open("Contents")
        .Add("Key", Shown(question, key.key))
        .Add("LastModified", IsoTime(key.mtime_ms))
        .Add("ETag", Quoted(key.etag))
        .Add("Size", key.size);
    if (question.owner) {
      xml.Open("Owner").Add("ID", kOwnerId).Add("DisplayName", kOwnerId).Close();
    }
    if (question.near) AddFile(xml, key);
    xml.Add("StorageClass", "STANDARD").Close();
  }
  AddPrefixes(xml, question, page);
}

void AddHead(s3::XmlWriter& xml, const Call& call, const Question& question, const ListPage& page) {
  xml.Add("Name", call.request.bucket)
      .Add("Prefix", Shown(question, question.query.prefix))
      .Add("MaxKeys", question.query.most)
      .Add("IsTruncated", page.truncated ? "true" : "false");
  if (!question.query.delimiter.empty()) {
    xml.Add("Delimiter", Shown(question, question.query.delimiter));
  }
  if (question.url_encoded) xml.Add("EncodingType", "url");
}

S3Result<http::Response> ListV1(Call& call) {
  MUSTER_ASSIGN(Question question, ReadQuestion(call));
  question.owner = true;
  question.query.after = call.request.Query("marker").value_or("");
  MUSTER_TRY(call.MayRead(call.request.bucket, question.query.prefix));
  MUSTER_ASSIGN(const ListPage page, call.parts.store.List(call.request.bucket, question.query));
  s3::XmlWriter xml("ListBucketResult");
  AddHead(xml, call, question, page);
  xml.Add("Marker", Shown(question, question.query.after));
  if (page.truncated && !question.query.delimiter.empty()) {
    xml.Add("NextMarker", Shown(question, page.last));
  }
  AddItems(xml, question, page);
  return XmlResponse(xml.Finish());
}

S3Result<http::Response> ListV2(Call& call) {
  MUSTER_ASSIGN(Question question, ReadQuestion(call));
  question.owner = call.request.Query("fetch-owner").value_or("") == "true";
  question.near = call.request.Has("muster-near");
  const auto token = call.request.Query("continuation-token");
  const std::string_view start = call.request.Query("start-after").value_or("");
  question.query.after = start;
  if (token && !token->empty()) {
    const auto last = s3::FromBase64(*token);
    if (!last || last->empty()) {
      return Refuse(S3Code::kInvalidArgument, "The continuation token is not one of ours.");
    }
    question.query.after = *last;
  }
  MUSTER_TRY(call.MayRead(call.request.bucket, question.query.prefix));
  MUSTER_ASSIGN(const ListPage page, call.parts.store.List(call.request.bucket, question.query));
  s3::XmlWriter xml("ListBucketResult");
  AddHead(xml, call, question, page);
  xml.Add("KeyCount", static_cast<int64_t>(page.keys.size() + page.prefixes.size()));
  if (token) xml.Add("ContinuationToken", *token);
  if (page.truncated) xml.Add("NextContinuationToken", s3::Base64(page.last));
  if (!start.empty()) xml.Add("StartAfter", Shown(question, start));
  AddItems(xml, question, page);
  return XmlResponse(xml.Finish());
}

// Every object has one version, "null", and there are no delete markers.
void AddVersions(s3::XmlWriter& xml, const Question& question, const ListPage& page) {
  for (const ListedKey& key : page.keys) {
    xml.Open("Version")
        .Add("Key", Shown(question, key.key))
        .Add("VersionId", "null")
        .Add("IsLatest", "true")
        .Add("LastModified", IsoTime(key.mtime_ms))
        .Add("ETag", Quoted(key.etag))
        .Add("Size", key.size)
        .Add("StorageClass", "STANDARD");
    xml.Open("Owner").Add("ID", kOwnerId).Add("DisplayName", kOwnerId).Close().Close();
  }
  AddPrefixes(xml, question, page);
}

S3Result<http::Response> Versions(Call& call) {
  MUSTER_ASSIGN(Question question, ReadQuestion(call));
  const std::string_view version = call.request.Query("version-id-marker").value_or("");
  question.query.after = call.request.Query("key-marker").value_or("");
  if (!version.empty() && question.query.after.empty()) {
    return Refuse(S3Code::kInvalidArgument,
                  "A version-id marker cannot be specified without a key marker.");
  }
  MUSTER_TRY(call.MayRead(call.request.bucket, question.query.prefix));
  MUSTER_ASSIGN(const ListPage page, call.parts.store.List(call.request.bucket, question.query));
  s3::XmlWriter xml("ListVersionsResult");
  AddHead(xml, call, question, page);
  xml.Add("KeyMarker", Shown(question, question.query.after)).Add("VersionIdMarker", version);
  if (page.truncated) {
    xml.Add("NextKeyMarker", Shown(question, page.last));
    const bool prefix = !page.prefixes.empty() && page.prefixes.back() == page.last;
    xml.Add("NextVersionIdMarker", prefix ? "" : "null");
  }
  AddVersions(xml, question, page);
  return XmlResponse(xml.Finish());
}

S3Result<http::Response> Stamp(Call& call) {
  const std::string prefix(call.request.Query("prefix").value_or(""));
  MUSTER_TRY(call.MayRead(call.request.bucket, prefix));
  MUSTER_ASSIGN(const std::string stamp, call.parts.store.Stamp(call.request.bucket, prefix));
  return XmlResponse(s3::XmlWriter("Stamp", "").Add("Value", stamp).Finish());
}

}  // namespace

void TellStamp(const CallPtr& call) { call->Reply(Stamp(*call)); }
void ListVersions(const CallPtr& call) { call->Reply(Versions(*call)); }
void ListObjects(const CallPtr& call) { call->Reply(ListV1(*call)); }
void ListObjectsV2(const CallPtr& call) { call->Reply(ListV2(*call)); }

}  // namespace muster::objects
