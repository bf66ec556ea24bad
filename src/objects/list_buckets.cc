// ListBuckets, complete or in pages.
#include <algorithm>

#include "base/text.h"
#include "objects/answers.h"
#include "objects/operations.h"
#include "s3/digest.h"
#include "s3/xml.h"

namespace muster::objects {
namespace {

constexpr int64_t kMostBuckets = 10'000;

struct BucketQuery {
  std::string prefix, after = {};
  std::string region;                // only buckets of this region; empty for all
  std::optional<int64_t> most = {};  // nothing for all
};

S3Result<BucketQuery> ReadBucketQuery(const Call& call) {
  const S3Request& request = call.request;
  BucketQuery query{.prefix = std::string(request.Query("prefix").value_or("")),
                    .region = std::string(request.Query("bucket-region").value_or(""))};
  if (const auto text = request.Query("max-buckets"); text && !text->empty()) {
    query.most = ParseInt(*text);
    if (!query.most || *query.most < 1 || *query.most > kMostBuckets) {
      return Refuse(S3Code::kInvalidArgument, "max-buckets must be a number from 1 to 10000.");
    }
  }
  if (const auto token = request.Query("continuation-token"); token && !token->empty()) {
    const auto last = s3::FromBase64(*token);
    if (!last || last->empty()) {
      return Refuse(S3Code::kInvalidArgument, "The continuation token is not valid.");
    }
    query.after = *last;
  }
  return query;
}

S3Result<http::Response> List(const Call& call) {
  MUSTER_ASSIGN(const BucketQuery query, ReadBucketQuery(call));
  MUSTER_ASSIGN(std::vector<BucketInfo> buckets, call.parts.store.Buckets());
  std::erase_if(buckets, [&](const BucketInfo& bucket) {
    const bool other = !query.region.empty() && RegionOf(call.parts, bucket.name) != query.region;
    return other || !bucket.name.starts_with(query.prefix) || bucket.name <= query.after ||
           !call.caller.key->MaySeeBucket(bucket.name);
  });
  const bool truncated = query.most && std::cmp_greater(buckets.size(), *query.most);
  if (truncated) buckets.resize(static_cast<size_t>(*query.most));
  const bool location = call.request.obs || !call.request.Extended("location").empty();
  s3::XmlWriter xml("ListAllMyBucketsResult");
  xml.Open("Owner").Add("ID", kOwnerId).Add("DisplayName", kOwnerId).Close().Open("Buckets");
  for (const BucketInfo& bucket : buckets) {
    xml.Open("Bucket").Add("Name", bucket.name).Add("CreationDate", IsoTime(bucket.created_ms));
    const std::string region = RegionOf(call.parts, bucket.name);
    if (location) xml.Add("Location", region);
    xml.Add("BucketRegion", region).Close();
  }
  xml.Close();
  if (!query.prefix.empty()) xml.Add("Prefix", query.prefix);
  if (truncated) xml.Add("ContinuationToken", s3::Base64(buckets.back().name));
  return XmlResponse(xml.Finish());
}

}  // namespace

void ListBuckets(const CallPtr& call) { call->Reply(List(*call)); }

}  // namespace muster::objects
