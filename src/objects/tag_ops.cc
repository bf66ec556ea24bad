// Tags of objects and buckets.
#include <algorithm>

#include "objects/answers.h"
#include "objects/bucket_settings.h"
#include "objects/object_headers.h"
#include "objects/operations.h"
#include "s3/xml.h"

namespace muster::objects {
namespace {

http::Response Document(Pairs tags) {
  std::ranges::sort(tags);
  s3::XmlWriter xml("Tagging");
  xml.Open("TagSet");
  for (const auto& [name, value] : tags) {
    xml.Open("Tag").Add("Key", name).Add("Value", value).Close();
  }
  return XmlResponse(xml.Finish());
}

S3Result<http::Response> Get(const Call& call) {
  const S3Request& request = call.request;
  MUSTER_TRY(call.MayRead(request.bucket, request.key));
  if (!request.key.empty()) {
    MUSTER_ASSIGN(const Object object, call.parts.store.Find(request.bucket, request.key));
    return Document(object.meta.tags);
  }
  MUSTER_TRY(call.parts.store.OpenBucket(request.bucket));
  const auto setting = call.parts.settings.Get(request.bucket);
  if (setting->tags.empty()) return Refuse(S3Code::kNoSuchTagSet);
  return Document(setting->tags);
}

S3Result<http::Response> Set(const Call& call, Pairs tags) {
  const S3Request& request = call.request;
  MUSTER_TRY(call.MayWrite(request.bucket, request.key));
  const int status = tags.empty() ? 204 : 200;
  if (!request.key.empty()) {
    MUSTER_TRY(call.parts.store.Describe(request.bucket, request.key, [&](ObjectMeta& meta) {
      meta.tags = tags;
      return S3Status();
    }));
    return http::Response{status, {}, {}};
  }
  MUSTER_TRY(call.parts.store.OpenBucket(request.bucket));
  BucketSetting setting = *call.parts.settings.Get(request.bucket);
  setting.tags = std::move(tags);
  MUSTER_TRY(call.parts.settings.Set(request.bucket, std::move(setting)));
  return http::Response{204, {}, {}};
}

}  // namespace

void GetTags(const CallPtr& call) { call->Reply(Get(*call)); }

void PutTags(const CallPtr& call) {
  const bool of_bucket = call->request.key.empty();
  auto tags = ReadTagDocument(call->body, of_bucket ? kMostBucketTags : kMostObjectTags);
  if (!tags) return call->Fail(tags.error());
  call->Reply(Set(*call, std::move(*tags)));
}

void DeleteTags(const CallPtr& call) { call->Reply(Set(*call, {})); }

}  // namespace muster::objects
