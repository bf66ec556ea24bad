// Reading and removing objects, and changing what is known of them.
#include <fmt/format.h>

#include "base/text.h"
#include "objects/answers.h"
#include "objects/object_headers.h"
#include "objects/operations.h"
#include "objects/upload.h"
#include "s3/uri.h"
#include "s3/xml.h"

namespace muster::objects {
namespace {

constexpr size_t kMostDeleted = 1000;

struct Found {
  http::Response head;
  http::FileBody body;
};

// What ?partNumber= asks for. Nothing: the whole, which is also the only part of an object that was
// put in one piece.
S3Result<std::optional<ByteRange>> ReadPart(const S3Request& request, const ObjectMeta& meta,
                                            http::Headers& headers) {
  const auto text = request.Query("partNumber");
  if (!text) return std::nullopt;
  const auto number = ParseInt(*text);
  if (!number || *number < 1 || *number > kMostParts) {
    return Refuse(S3Code::kInvalidArgument, "partNumber must be from 1 to 10000.");
  }
  if (!request.Header("Range").empty()) {
    return Refuse(S3Code::kInvalidRequest, "Either a Range or a partNumber can be asked for.");
  }
  const bool one_piece = meta.etag_is_md5() || meta.etag.ends_with("-1");
  if (one_piece && *number == 1) return std::nullopt;
  if (one_piece) return Refuse(S3Code::kInvalidPartNumber);
  if (meta.parts.empty() || TotalSize(meta.parts) != meta.size) {
    return Refuse(S3Code::kNotImplemented, "The lengths of this object's parts are not known.");
  }
  const auto place = PlaceOfPart(meta.parts, *number);
  if (!place) return Refuse(S3Code::kInvalidPartNumber);
  headers.emplace_back("x-amz-mp-parts-count", std::to_string(CountParts(meta.parts)));
  return ByteRange{place->offset, place->size};
}

S3Result<Found> Read(const Call& call) {
  const S3Request& request = call.request;
  MUSTER_TRY(call.MayRead(request.bucket, request.key));
  if (const auto version = request.Query("versionId"); version && *version != "null") {
    return Refuse(S3Code::kNotImplemented, "Objects have no versions here.");
  }
  MUSTER_ASSIGN(Object object, call.parts.store.Find(request.bucket, request.key));
  const auto condition = CheckRead(request, object.meta);
  if (!condition) {
    S3Error error = condition.error();
    if (error.code == S3Code::kNotModified)
      error.headers.emplace_back("ETag", Quoted(object.meta.etag));
    return std::unexpected(std::move(error));
  }
  Found found;
  MUSTER_ASSIGN(auto range, ReadPart(request, object.meta, found.head.headers));
  if (!range) {
    MUSTER_ASSIGN(range, ReadRange(request.Header("Range"), object.meta.size));
  }
  AddObjectHeaders(request, object.meta, found.head.headers);
  found.body = {std::move(object.file), 0, object.meta.size};
  if (range) {
    found.head.status = 206;
    found.body.offset = range->offset;
    found.body.length = range->length;
    if (range->length > 0)  // a last part may be empty
      found.head.headers.emplace_back(
          "Content-Range", fmt::format("bytes {}-{}/{}", range->offset,
                                       range->offset + range->length - 1, object.meta.size));
  } else if (Lower(request.Header("x-amz-checksum-mode")) == "enabled") {
    AddChecksum(object.meta, found.head.headers);  // clients would hold a part to it as well
  }
  return found;
}

void AddFault(s3::XmlWriter& xml, std::string_view key, const S3Error& error) {
  xml.Open("Error")
      .Add("Key", key)
      .Add("Code", CodeNameOf(error.code))
      .Add("Message", error.message)
      .Close();
}

struct DeleteOrder {
  bool quiet = false;
  std::vector<std::string> keys;
};

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
    order.keys.push_back(std::move(key));
  }
  if (order.keys.empty() || order.keys.size() > kMostDeleted) return Refuse(S3Code::kMalformedXml);
  return order;
}

S3Status Describe(const Call& call) {
  const S3Request& request = call.request;
  MUSTER_TRY(call.MayWrite(request.bucket, request.key));
  MUSTER_ASSIGN(const ObjectMeta given, MetaOfRequest(request));
  const bool keep = Lower(request.Extended("metadata-directive")) == "replace_new";
  return call.parts.store.Describe(request.bucket, request.key, [&](ObjectMeta& meta) -> S3Status {
    if (!keep) {
      meta.user.clear();
      meta.headers.clear();
      meta.content_type = given.content_type;
    } else if (!given.content_type.empty()) {
      meta.content_type = given.content_type;
    }
    for (const auto& [name, value] : given.user) {
      std::erase_if(meta.user, [&](const auto& old) { return old.first == name; });
      meta.user.emplace_back(name, value);
    }
    for (const auto& [name, value] : given.headers) {
      std::erase_if(meta.headers, [&](const auto& old) { return old.first == name; });
      meta.headers.emplace_back(name, value);
    }
    return {};
  });
}

}  // namespace

// Also HEAD, whose answer has the same head.
void GetObject(const CallPtr& call) {
  auto found = Read(*call);
  if (!found) return call->Fail(found.error());
  call->AnswerFile(std::move(found->head), std::move(found->body));
}

void DeleteObject(const CallPtr& call) {
  const S3Request& request = call->request;
  if (const auto may = call->MayWrite(request.bucket, request.key); !may) {
    return call->Fail(may.error());
  }
  call->parts.store.Remove(request.bucket, {request.key}, [call](std::vector<S3Status> statuses) {
    if (!statuses[0]) return call->Fail(statuses[0].error());
    call->Answer({204, {}, {}});
  });
}

void DeleteObjects(const CallPtr& call) {
  auto order = ReadDeleteOrder(*call);
  if (!order) return call->Fail(order.error());
  // Keys that the caller may not write are told by name; the others go.
  std::vector<std::string> allowed, denied;
  for (std::string& key : order->keys) {
    (call->MayWrite(call->request.bucket, key) ? allowed : denied).push_back(std::move(key));
  }
  const bool quiet = order->quiet;
  auto done = [call, quiet, allowed, denied](const std::vector<S3Status>& statuses) {
    s3::XmlWriter xml("DeleteResult");
    for (const std::string& key : denied) AddFault(xml, key, S3Code::kAccessDenied);
    for (size_t i = 0; i < allowed.size(); ++i) {
      if (!statuses[i] && statuses[i].error().code == S3Code::kNoSuchBucket) {
        return call->Fail(statuses[i].error());
      }
      if (!statuses[i]) AddFault(xml, allowed[i], statuses[i].error());
      if (statuses[i] && !quiet) xml.Open("Deleted").Add("Key", allowed[i]).Close();
    }
    call->Answer(XmlResponse(xml.Finish()));
  };
  call->parts.store.Remove(call->request.bucket, allowed, std::move(done));
}

void SetMetadata(const CallPtr& call) {
  if (const auto status = Describe(*call); !status) return call->Fail(status.error());
  call->Answer({200, {}, {}});
}

}  // namespace muster::objects
