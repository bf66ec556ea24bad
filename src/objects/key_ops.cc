// Key pairs, made and revoked by who may do everything. A secret is told once, to who made it.
#include "base/text.h"
#include "objects/answers.h"
#include "objects/key_path.h"
#include "objects/operations.h"
#include "s3/xml.h"

namespace muster::objects {
namespace {

constexpr size_t kMostGrants = 100, kLongestUser = 256;

S3Status MayManageKeys(const Call& call) {
  if (!call.caller.key->lent && call.caller.key->MayUseAllBuckets(true)) return {};
  return Refuse(S3Code::kAccessDenied);
}

void AddPair(s3::XmlWriter& xml, const KeyPair& pair) {
  xml.Add("AccessKey", pair.access_key).Add("User", pair.user);
  for (const Grant& grant : pair.grants) {
    xml.Open("Grant")
        .Add("Bucket", grant.bucket)
        .Add("Prefix", grant.prefix)
        .Add("Write", grant.write ? "true" : "false")
        .Close();
  }
}

S3Result<http::Response> List(const Call& call) {
  MUSTER_TRY(MayManageKeys(call));
  s3::XmlWriter xml("Keys", "");
  for (const KeyPair& pair : call.parts.keys.All()) {
    xml.Open("Key");
    AddPair(xml, pair);
    xml.Close();
  }
  return XmlResponse(xml.Finish());
}

S3Result<Grant> ReadGrant(const s3::XmlElement& element) {
  Grant grant{std::string(Trim(element.TextOf("Bucket"))), std::string(element.TextOf("Prefix")),
              Trim(element.TextOf("Write")) == "true"};
  if (grant.bucket != "*" && !IsBucketName(grant.bucket)) {
    return Refuse(S3Code::kInvalidBucketName);
  }
  if (grant.prefix.size() > kLongestKey) return Refuse(S3Code::kKeyTooLong);
  return grant;
}

S3Result<http::Response> Make(const Call& call) {
  MUSTER_TRY(MayManageKeys(call));
  MUSTER_ASSIGN(const s3::XmlElement root, ReadXml(call.body));
  const std::string user(Trim(root.TextOf("User")));
  if (root.name != "NewKey" || user.empty() || user.size() > kLongestUser) {
    return Refuse(S3Code::kMalformedXml);
  }
  std::vector<Grant> grants;
  for (const s3::XmlElement& child : root.children) {
    if (child.name != "Grant") continue;
    MUSTER_ASSIGN(Grant grant, ReadGrant(child));
    grants.push_back(std::move(grant));
  }
  if (grants.empty() || grants.size() > kMostGrants) return Refuse(S3Code::kMalformedXml);
  const KeyPair pair = NewKeyPair(user, std::move(grants));
  MUSTER_TRY(call.parts.keys.Add(pair));
  s3::XmlWriter xml("Key", "");
  AddPair(xml, pair);
  return XmlResponse(xml.Add("SecretKey", pair.secret_key).Finish());
}

S3Result<http::Response> Revoke(const Call& call) {
  MUSTER_TRY(MayManageKeys(call));
  const Status removed = call.parts.keys.Remove(call.request.Query("muster-keys").value_or(""));
  if (removed) return http::Response{204, {}, {}};
  if (removed.error().code == Code::kNotFound) return Refuse(S3Code::kInvalidAccessKeyId);
  if (removed.error().code == Code::kConflict) {
    return Refuse(S3Code::kInvalidRequest, "The first key of the store cannot be revoked.");
  }
  return std::unexpected(S3Error(removed.error()));
}

}  // namespace

void ListKeyPairs(const CallPtr& call) { call->Reply(List(*call)); }
void MakeKeyPair(const CallPtr& call) { call->Reply(Make(*call)); }
void RevokeKeyPair(const CallPtr& call) { call->Reply(Revoke(*call)); }

}  // namespace muster::objects
