#include "objects/operations.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "objects/signature.h"

namespace muster::objects {
namespace {

using Level = Operation::Level;
using Where = Operation::Where;

constexpr auto kService = Level::kService, kBucket = Level::kBucket, kObject = Level::kObject;
constexpr auto kLoop = Where::kLoop, kPool = Where::kPool;

// The first matching row is used: rows with a marker precede the row without one.
constexpr Operation kOperations[] = {
    {"HEAD", kService, "apiversion", TellApiVersion, kLoop, nullptr, true},
    {"HEAD", kBucket, "apiversion", TellApiVersion, kLoop, nullptr, true},
    {"OPTIONS", kBucket, "", AnswerPreflight, kLoop, nullptr, true},
    {"OPTIONS", kObject, "", AnswerPreflight, kLoop, nullptr, true},
    {"GET", kService, "muster-near", TellNear},
    {"GET", kService, "muster-keys", ListKeyPairs},
    {"POST", kService, "muster-keys", MakeKeyPair, kPool},
    {"DELETE", kService, "muster-keys", RevokeKeyPair, kPool},
    {"GET", kService, "", ListBuckets, kPool},

    {"GET", kBucket, "location", GetLocation},
    {"GET", kBucket, "versioning", GetVersioning},
    {"GET", kBucket, "acl", GetAcl},
    {"GET", kBucket, "cors", GetCors},
    {"GET", kBucket, "tagging", GetTags},
    {"GET", kBucket, "policy", GetBucketSetting},
    {"GET", kBucket, "lifecycle", GetBucketSetting},
    {"GET", kBucket, "encryption", GetBucketSetting},
    {"GET", kBucket, "object-lock", GetBucketSetting},
    {"GET", kBucket, "replication", GetBucketSetting},
    {"GET", kBucket, "website", GetBucketSetting},
    {"GET", kBucket, "uploads", ListUploads, kPool},
    {"GET", kBucket, "versions", ListVersions, kPool},
    {"GET", kBucket, "muster-stamp", TellStamp, kPool},
    {"GET", kBucket, "list-type", ListObjectsV2, kPool},
    {"GET", kBucket, "", ListObjects, kPool},
    {"HEAD", kBucket, "", HeadBucket},
    {"PUT", kBucket, "acl", PutAcl},
    {"PUT", kBucket, "cors", PutCors, kPool},
    {"PUT", kBucket, "tagging", PutTags, kPool},
    {"PUT", kBucket, "", MakeBucket, kPool},
    {"DELETE", kBucket, "cors", DeleteCors, kPool},
    {"DELETE", kBucket, "tagging", DeleteTags, kPool},
    {"DELETE", kBucket, "", RemoveBucket, kPool},
    {"POST", kBucket, "delete", DeleteObjects},
    {"POST", kBucket, "muster-adopt", AdoptFiles, kPool},
    {"POST", kBucket, "", nullptr, kLoop, OpenForm, true},

    {"GET", kObject, "attributes", GetAttributes},
    {"GET", kObject, "acl", GetAcl},
    {"GET", kObject, "tagging", GetTags},
    {"GET", kObject, "uploadId", ListParts, kPool},
    {"GET", kObject, "", GetObject},
    {"HEAD", kObject, "", GetObject},
    {"PUT", kObject, "acl", PutAcl},
    {"PUT", kObject, "tagging", PutTags, kPool},
    {"PUT", kObject, "metadata", SetMetadata, kPool},
    {"PUT", kObject, "uploadId@copy-source", CopyPart, kPool},
    {"PUT", kObject, "uploadId", nullptr, kLoop, OpenPart},
    {"PUT", kObject, "@copy-source", CopyObject, kPool},
    {"PUT", kObject, "", nullptr, kLoop, OpenPut},
    {"POST", kObject, "uploads", CreateUpload, kPool},
    {"POST", kObject, "uploadId", CompleteUpload, kPool},
    {"POST", kObject, "append", nullptr, kLoop, OpenAppend},
    {"DELETE", kObject, "uploadId", AbortUpload, kPool},
    {"DELETE", kObject, "tagging", DeleteTags, kPool},
    {"DELETE", kObject, "", DeleteObject},
};

// Parameters that do not select an operation.
const std::set<std::string_view> kPlain = {
    "prefix",           "marker",        "max-keys",
    "delimiter",        "encoding-type", "continuation-token",
    "start-after",      "fetch-owner",   "x-id",
    "muster-near",      "versionId",     "partNumber",
    "Expires",          "Signature",     "AWSAccessKeyId",
    "AccessKeyId",      "key-marker",    "upload-id-marker",
    "max-uploads",      "max-parts",     "part-number-marker",
    "position",         "list-type",     "uploadId",
    "apiversion",       "max-buckets",   "bucket-region",
    "version-id-marker"};

bool IsPlain(std::string_view name) {
  return kPlain.contains(name) || name.starts_with("X-Amz-") || name.starts_with("x-amz-") ||
         name.starts_with("x-obs-") || name.starts_with("response-");
}

// Sub-resources of S3 that no signature version 2 covers.
constexpr std::string_view kLaterSubResources[] = {"abac",
                                                   "intelligent-tiering",
                                                   "legal-hold",
                                                   "metadataConfiguration",
                                                   "metadataInventoryTable",
                                                   "metadataJournalTable",
                                                   "metadataTable",
                                                   "ownershipControls",
                                                   "policyStatus",
                                                   "publicAccessBlock",
                                                   "renameObject",
                                                   "session"};

// S3 ignores unknown parameters. Parameters that request another operation are listed here or have
// no value, and must not be ignored. A listed name in another case is a typing error that would
// remove or overwrite the wrong object.
bool AsksForMore(const S3Request::QueryPair& pair) {
  if (IsPlain(pair.name)) return false;
  const auto is_name = [&](std::string_view one) { return SameWord(one, pair.name); };
  return pair.value.empty() || IsSubResource(pair.name) ||
         std::ranges::any_of(kLaterSubResources, is_name) || SelectsOperation(pair.name);
}

// Refuses known parameters that must not be ignored.
S3Status CheckPlain(const S3Request& request) {
  if (const auto version = request.Query("versionId")) MUSTER_TRY(CheckVersion(*version));
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (!reads && request.Has("partNumber") && !request.Has("uploadId")) {
    return Refuse(S3Code::kInvalidArgument, "A partNumber needs an uploadId.");
  }
  return {};
}

Level LevelOf(const S3Request& request) {
  if (request.bucket.empty()) return kService;
  return request.key.empty() ? kBucket : kObject;
}

// "name", "@header" or "name@header".
bool Fits(std::string_view marker, const S3Request& request) {
  const size_t at = marker.find('@');
  const std::string_view name = marker.substr(0, at);
  const bool named = name.empty() || request.Has(name);
  return named &&
         (at == std::string_view::npos || !request.Extended(marker.substr(at + 1)).empty());
}

}  // namespace

std::span<const Operation> AllOperations() { return kOperations; }

bool SelectsOperation(std::string_view parameter) {
  return std::ranges::any_of(kOperations, [&](const Operation& operation) {
    return SameWord(operation.marker.substr(0, operation.marker.find('@')), parameter);
  });
}

S3Status CheckVersion(std::string_view version) {
  if (version == "null") return {};
  return Refuse(S3Code::kNotImplemented, "Objects have no versions here.");
}

S3Result<const Operation*> FindOperation(const S3Request& request) {
  const Level level = LevelOf(request);
  bool method_known = false;
  for (const Operation& operation : kOperations) {
    if (operation.level != level || operation.method != request.method) continue;
    // For Muster's own requests, other clients receive the error that S3 would send.
    method_known = method_known || !operation.marker.starts_with("muster-");
    if (!Fits(operation.marker, request)) continue;
    // A request for another operation must not be handled as a plain one.
    for (const auto& pair : request.query) {
      const bool marks = operation.marker.substr(0, operation.marker.find('@')) == pair.name;
      if (marks || !AsksForMore(pair)) continue;
      return Refuse(S3Code::kNotImplemented,
                    "The parameter \"" + pair.name + "\" asks for what this store has not.");
    }
    MUSTER_TRY(CheckPlain(request));
    return &operation;
  }
  if (request.method == "POST" && level == kBucket && !method_known) {
    return Refuse(S3Code::kNotImplemented);
  }
  return method_known ? Refuse(S3Code::kNotImplemented) : Refuse(S3Code::kMethodNotAllowed);
}

}  // namespace muster::objects
