// Removes one or several objects, optionally under conditions.
#include "base/text.h"
#include "objects/answers.h"
#include "objects/object_headers.h"
#include "objects/operations.h"
#include "s3/uri.h"
#include "s3/xml.h"

namespace muster::objects {
namespace {

constexpr size_t kMostDeleted = 1000;

struct Fault {
  std::string key;
  S3Error error;
};

struct DeleteOrder {
  bool quiet = false;
  std::vector<Removal> removals;
  std::vector<Fault> faults;  // for keys that are not removed
};

S3Result<Removal> ReadRemoval(const Call& call, const s3::XmlElement& object,
                              const std::string& key) {
  MUSTER_TRY(call.MayWrite(call.request.bucket, key));
  // Some clients write an empty version for objects without a known version.
  const std::string_view version = Trim(object.TextOf("VersionId"));
  if (!version.empty()) MUSTER_TRY(CheckVersion(version));
  MUSTER_ASSIGN(RemoveCondition condition, RemoveConditionOf(object));
  return Removal{key, std::move(condition)};
}

S3Result<DeleteOrder> ReadDeleteOrder(const Call& call) {
  MUSTER_ASSIGN(const s3::XmlElement root, ReadXml(call.body));
  DeleteOrder order{.quiet = Lower(Trim(root.TextOf("Quiet"))) == "true"};
  const bool encoded = root.TextOf("EncodingType") == "url";
  if (root.name != "Delete") return Refuse(S3Code::kMalformedXml);
  for (const s3::XmlElement& child : root.children) {
    if (child.name != "Object") continue;
    std::string key(child.TextOf("Key"));
    if (encoded) key = s3::UriDecode(key, false).value_or(key);
    if (key.empty() || key.size() > 1024) return Refuse(S3Code::kMalformedXml);
    auto removal = ReadRemoval(call, child, key);
    if (removal) {
      order.removals.push_back(std::move(*removal));
    } else {
      order.faults.push_back({std::move(key), std::move(removal).error()});
    }
  }
  const size_t count = order.removals.size() + order.faults.size();
  if (count == 0 || count > kMostDeleted) return Refuse(S3Code::kMalformedXml);
  return order;
}

void AddFault(s3::XmlWriter& xml, std::string_view key, const S3Error& error) {
  xml.Open("Error")
      .Add("Key", key)
      .Add("Code", CodeNameOf(error.code))
      .Add("Message", error.message)
      .Close();
}

void Report(const CallPtr& call, const DeleteOrder& order, const std::vector<S3Status>& statuses) {
  s3::XmlWriter xml("DeleteResult");
  for (const Fault& fault : order.faults) AddFault(xml, fault.key, fault.error);
  for (size_t i = 0; i < order.removals.size(); ++i) {
    const std::string& key = order.removals[i].key;
    if (!statuses[i] && statuses[i].error().code == S3Code::kNoSuchBucket) {
      return call->Fail(statuses[i].error());
    }
    if (!statuses[i]) AddFault(xml, key, statuses[i].error());
    if (statuses[i] && !order.quiet) xml.Open("Deleted").Add("Key", key).Close();
  }
  call->Answer(XmlResponse(xml.Finish()));
}

S3Result<Removal> ReadOne(const Call& call) {
  const S3Request& request = call.request;
  MUSTER_TRY(call.MayWrite(request.bucket, request.key));
  MUSTER_TRY(CheckHeaders(request));
  MUSTER_ASSIGN(RemoveCondition condition, RemoveConditionOf(request));
  return Removal{request.key, std::move(condition)};
}

}  // namespace

void DeleteObject(const CallPtr& call) {
  auto removal = ReadOne(*call);
  if (!removal) return call->Fail(removal.error());
  call->parts.store.Remove(call->request.bucket, {std::move(*removal)},
                           [call](std::vector<S3Status> statuses) {
                             if (!statuses[0]) return call->Fail(statuses[0].error());
                             call->Answer({204, {}, {}});
                           });
}

void DeleteObjects(const CallPtr& call) {
  auto order = ReadDeleteOrder(*call);
  if (!order) return call->Fail(order.error());
  std::vector<Removal> removals = order->removals;
  call->parts.store.Remove(
      call->request.bucket, std::move(removals),
      [call, order = std::move(*order)](const std::vector<S3Status>& statuses) {
        Report(call, order, statuses);
      });
}

}  // namespace muster::objects
