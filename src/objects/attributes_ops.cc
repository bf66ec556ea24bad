// GetObjectAttributes: metadata of an object and its parts, without its bytes.
#include <algorithm>

#include "base/text.h"
#include "objects/answers.h"
#include "objects/operations.h"
#include "objects/upload.h"
#include "s3/time_text.h"
#include "s3/xml.h"

namespace muster::objects {
namespace {

constexpr std::string_view kAttributes[] = {"ETag", "Checksum", "ObjectParts", "StorageClass",
                                            "ObjectSize"};
constexpr int64_t kMostListed = 1000;

S3Result<std::vector<std::string>> ReadWanted(const S3Request& request) {
  std::vector<std::string> wanted;
  for (const std::string& word : Split(request.Header("x-amz-object-attributes"), ',')) {
    const std::string name(Trim(word));
    if (name.empty()) continue;
    if (std::ranges::find(kAttributes, name) == std::end(kAttributes)) {
      return Refuse(S3Code::kInvalidArgument, "Invalid attribute name specified.");
    }
    wanted.push_back(name);
  }
  if (wanted.empty()) {
    return Refuse(S3Code::kInvalidRequest, "The x-amz-object-attributes header is missing.");
  }
  return wanted;
}

S3Result<int64_t> NumberOf(const S3Request& request, std::string_view header, int64_t fallback) {
  const std::string_view text = Trim(request.Header(header));
  if (text.empty()) return fallback;
  const auto number = ParseInt(text);
  if (number && *number >= 0 && *number <= kMostParts) return *number;
  return Refuse(S3Code::kInvalidArgument,
                std::string(header) + " must be a number from 0 to 10000.");
}

void AddParts(s3::XmlWriter& xml, const ObjectMeta& meta, int64_t after, int64_t most) {
  const int64_t count = CountParts(meta.parts);
  const int64_t first = std::min(after, count) + 1;
  const int64_t last = std::min(first + most - 1, count);
  xml.Open("ObjectParts")
      .Add("PartsCount", count)
      .Add("PartNumberMarker", after)
      .Add("NextPartNumberMarker", last >= first ? last : 0)
      .Add("MaxParts", most)
      .Add("IsTruncated", last < count ? "true" : "false");
  for (int64_t number = first; number <= last; ++number) {
    const auto place = PlaceOfPart(meta.parts, number);
    xml.Open("Part").Add("PartNumber", number).Add("Size", place ? place->size : 0);
    if (const auto checksum = meta.ChecksumOfPart(number)) {
      xml.Add(s3::ChecksumElement(checksum->kind), checksum->value);
    }
    xml.Close();
  }
  xml.Close();
}

S3Result<http::Response> Attributes(const Call& call) {
  const S3Request& request = call.request;
  MUSTER_TRY(call.MayRead(request.bucket, request.key));
  MUSTER_ASSIGN(const auto wanted, ReadWanted(request));
  MUSTER_ASSIGN(const int64_t most, NumberOf(request, "x-amz-max-parts", kMostListed));
  MUSTER_ASSIGN(const int64_t after, NumberOf(request, "x-amz-part-number-marker", 0));
  MUSTER_ASSIGN(const Object object, call.parts.store.Find(request.bucket, request.key));
  MUSTER_TRY(CheckRead(request, object.meta));
  const ObjectMeta& meta = object.meta;
  const auto wants = [&](std::string_view name) {
    return std::ranges::find(wanted, name) != wanted.end();
  };
  s3::XmlWriter xml("GetObjectAttributesResponse");
  if (wants("ETag")) xml.Add("ETag", meta.etag);
  if (wants("Checksum") && meta.checksum) {
    xml.Open("Checksum")
        .Add(s3::ChecksumElement(meta.checksum->kind), meta.checksum->value)
        .Add("ChecksumType", meta.checksum->composite ? "COMPOSITE" : "FULL_OBJECT")
        .Close();
  }
  if (wants("ObjectParts") && meta.knows_parts()) {
    AddParts(xml, meta, after, std::min(most, kMostListed));
  }
  if (wants("StorageClass")) xml.Add("StorageClass", "STANDARD");
  if (wants("ObjectSize")) xml.Add("ObjectSize", meta.size);
  http::Response response = XmlResponse(xml.Finish());
  response.headers.emplace_back("Last-Modified", s3::HttpDate(meta.mtime_ms()));
  return response;
}

}  // namespace

void GetAttributes(const CallPtr& call) { call->Reply(Attributes(*call)); }

}  // namespace muster::objects
