// Operations on single buckets; list_buckets.cc lists them all.
#include <algorithm>

#include "base/text.h"
#include "objects/answers.h"
#include "objects/bucket_settings.h"
#include "objects/object_headers.h"
#include "objects/operations.h"
#include "objects/uploads.h"
#include "s3/xml.h"

namespace muster::objects {
namespace {

constexpr size_t kLongestRegion = 64;

S3Status MayUseBucket(const Call& call, bool write) {
  const KeyPair& key = *call.caller.key;
  const bool may = write ? key.MayUseAllBuckets(true) || key.MayWrite(call.request.bucket, "")
                         : key.MaySeeBucket(call.request.bucket);
  if (may) return {};
  return call.Deny(call.request.bucket, "", write ? "write" : "read");
}

// The region that the request to make a bucket names: a label that is kept and given back.
S3Result<std::string> ReadRegion(const Call& call) {
  if (call.body.empty()) return std::string();
  MUSTER_ASSIGN(const s3::XmlElement root, ReadXml(call.body));
  if (root.name != "CreateBucketConfiguration") return Refuse(S3Code::kMalformedXml);
  std::string region(Trim(root.TextOf("LocationConstraint")));
  if (region.empty()) region = Trim(root.TextOf("Location"));
  const bool valid = region.size() <= kLongestRegion && std::ranges::all_of(region, [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '-' || c == '_';
                     });
  if (!valid) return Refuse(S3Code::kInvalidLocationConstraint);
  return region;
}

S3Result<http::Response> Make(const Call& call) {
  MUSTER_TRY(MayUseBucket(call, true));
  MUSTER_TRY(CheckHeaders(call.request));
  const std::string_view lock = call.request.Extended("bucket-object-lock-enabled");
  if (Lower(lock) == "true") return Refuse(S3Code::kNotImplemented);
  MUSTER_ASSIGN(std::string region, ReadRegion(call));
  if (!IsNewBucketName(call.request.bucket)) return Refuse(S3Code::kInvalidBucketName);
  MUSTER_ASSIGN(const bool made, call.parts.store.MakeBucket(call.request.bucket));
  if (made && !region.empty()) {
    MUSTER_TRY(call.parts.settings.Set(call.request.bucket, {.region = std::move(region)}));
  }
  return http::Response{200, {{"Location", "/" + call.request.bucket}}, {}};
}

S3Result<http::Response> Remove(const Call& call) {
  MUSTER_TRY(MayUseBucket(call, true));
  MUSTER_TRY(call.parts.store.RemoveBucket(call.request.bucket));
  call.parts.settings.Remove(call.request.bucket);
  call.parts.uploads.AbortAll(call.request.bucket);
  return http::Response{204, {}, {}};
}

// Succeeds if the bucket exists and the caller may know of it.
S3Status SeeBucket(const Call& call) {
  MUSTER_TRY(MayUseBucket(call, false));
  MUSTER_TRY(call.parts.store.OpenBucket(call.request.bucket));
  return {};
}

S3Result<http::Response> Head(const Call& call) {
  MUSTER_TRY(SeeBucket(call));
  const std::string region = RegionOf(call.parts, call.request.bucket);
  return http::Response{200,
                        {{call.request.Named("bucket-region"), region},
                         {call.request.Named("bucket-location"), region}},
                        {}};
}

S3Result<http::Response> Location(const Call& call) {
  MUSTER_TRY(SeeBucket(call));
  // S3 omits its first region; OBS always returns it.
  const std::string region = RegionOf(call.parts, call.request.bucket);
  const bool silent = !call.request.obs && region == "us-east-1";
  s3::XmlWriter xml(call.request.obs ? "Location" : "LocationConstraint");
  std::string text = xml.Finish();
  if (!silent) {
    text.insert(text.rfind("</"), s3::XmlEscape(region));
  }
  return XmlResponse(std::move(text));
}

S3Result<http::Response> Acl(const Call& call) {
  if (call.request.key.empty()) {
    MUSTER_TRY(SeeBucket(call));
  } else {
    MUSTER_TRY(call.MayRead(call.request.bucket, call.request.key));
    MUSTER_TRY(call.parts.store.Find(call.request.bucket, call.request.key));
  }
  s3::XmlWriter xml("AccessControlPolicy");
  xml.Open("Owner").Add("ID", kOwnerId).Add("DisplayName", kOwnerId).Close();
  xml.Open("AccessControlList").Open("Grant");
  std::string text = xml.Finish();
  constexpr std::string_view kGrantee =
      "<Grantee xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xsi:type=\"CanonicalUser\"><ID>muster</ID><DisplayName>muster</DisplayName></Grantee>"
      "<Permission>FULL_CONTROL</Permission>";
  text.insert(text.find("</Grant>"), kGrantee);
  return XmlResponse(std::move(text));
}

// Clients copy the access control list of the source: the default list is accepted and has no
// effect.
S3Result<http::Response> SetAcl(const Call& call) {
  MUSTER_TRY(call.MayWrite(call.request.bucket, call.request.key));
  MUSTER_TRY(CheckHeaders(call.request));
  if (!call.body.empty()) {
    MUSTER_ASSIGN(const s3::XmlElement root, ReadXml(call.body));
    const s3::XmlElement* list = root.Find("AccessControlList");
    if (root.name != "AccessControlPolicy" || list == nullptr) {
      return Refuse(S3Code::kMalformedXml);
    }
    for (const s3::XmlElement& grant : list->children) {
      const s3::XmlElement* grantee = grant.Find("Grantee");
      if (grantee == nullptr || grantee->TextOf("ID") != kOwnerId) {
        return Refuse(S3Code::kAccessControlListNotSupported);
      }
    }
  }
  return http::Response{200, {}, {}};
}

}  // namespace

std::string RegionOf(const S3Parts& parts, const std::string& bucket) {
  const std::string region = parts.settings.Get(bucket)->region;
  return region.empty() ? parts.region : region;
}

// The unsigned request with which OBS clients detect the protocol.
void TellApiVersion(const CallPtr& call) {
  if (!call->request.bucket.empty()) {
    if (const auto bucket = call->parts.store.OpenBucket(call->request.bucket); !bucket) {
      return call->Fail(bucket.error());
    }
  }
  call->Answer({200, {{"x-obs-api", "3.0"}}, {}});
}

void MakeBucket(const CallPtr& call) { call->Reply(Make(*call)); }
void RemoveBucket(const CallPtr& call) { call->Reply(Remove(*call)); }
void HeadBucket(const CallPtr& call) { call->Reply(Head(*call)); }
void GetLocation(const CallPtr& call) { call->Reply(Location(*call)); }
void GetAcl(const CallPtr& call) { call->Reply(Acl(*call)); }
void PutAcl(const CallPtr& call) { call->Reply(SetAcl(*call)); }

void GetVersioning(const CallPtr& call) {
  if (const auto bucket = SeeBucket(*call); !bucket) return call->Fail(bucket.error());
  call->Answer(XmlResponse(s3::XmlWriter("VersioningConfiguration").Finish()));
}

void GetBucketSetting(const CallPtr& call) {
  if (const auto bucket = SeeBucket(*call); !bucket) return call->Fail(bucket.error());
  constexpr std::pair<std::string_view, S3Code> kAbsent[] = {
      {"policy", S3Code::kNoSuchBucketPolicy},
      {"lifecycle", S3Code::kNoSuchLifecycleConfiguration},
      {"encryption", S3Code::kServerSideEncryptionConfigurationNotFound},
      {"object-lock", S3Code::kObjectLockConfigurationNotFound},
      {"replication", S3Code::kReplicationConfigurationNotFound},
      {"website", S3Code::kNoSuchWebsiteConfiguration}};
  for (const auto& [name, code] : kAbsent) {
    if (call->request.Has(name)) return call->Fail(code);
  }
  call->Fail(S3Code::kNotImplemented);
}

}  // namespace muster::objects
