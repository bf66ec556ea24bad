#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "s3/checksum.h"
#include "transfer/near_store.h"
#include "transfer/trouble.h"

namespace muster::transfer {

// Readers for responses of object stores and writers for requests. Pure. Responses are untrusted
// input.

struct ObjectInfo {
  std::string key;
  int64_t size = 0;
  int64_t mtime_ms = 0;
  std::string etag;                      // without quotes
  bool etag_is_md5 = false;              // the ETag is the MD5 of the bytes; unknown in a listing
  std::optional<s3::Checksum> checksum;  // of the whole object; only on request
  http::Headers kept;                    // Content-Type and metadata; from HEAD alone
  std::optional<NearFile> file;          // from the listing of a store on this machine
};

struct ListPage {
  std::vector<ObjectInfo> objects;
  std::vector<std::string> prefixes;
  std::string next;  // the continuation token; empty on the last page
};
Result<ListPage> ReadListPage(std::string_view xml);

struct BucketInfo {
  std::string name;
  int64_t created_ms = 0;
};
Result<std::vector<BucketInfo>> ReadBuckets(std::string_view xml);

// The folder of Muster's own store on this machine.
Result<NearAnswer> ReadNear(std::string_view xml);
Result<std::string> ReadStamp(std::string_view xml);
std::string WriteAdopt(std::span<const Offer> offers);

Result<std::string> ReadUploadId(std::string_view xml);
// The ETag of a copy or a completed upload, without quotes; empty if the response has none.
Result<std::string> ReadResultETag(std::string_view xml);

struct DeleteFault {
  std::string key, s3_code, message;
};
// The objects that could not be deleted.
Result<std::vector<DeleteFault>> ReadDeleteFaults(std::string_view xml);

// From a response to HEAD or GET. The size is that of the body unless Content-Range has the total.
ObjectInfo ReadObjectHead(const http::Response& response);

struct CompletedPart {
  int number = 0;
  std::string etag;    // without quotes
  std::string crc32c;  // base64; empty if unknown
};
std::string WriteComplete(std::span<const CompletedPart> parts);
// Whether XML can represent the key.
bool FitsXml(std::string_view key);
std::string WriteDelete(std::span<const std::string> keys);

// The ETag of a multipart object: the MD5 of the MD5s of its parts, and their number. Empty if the
// ETag of a part is not an MD5.
std::string CompositeETag(std::span<const CompletedPart> parts);

// `what` names the operation and the object: "read s3://b/k". A 200 response may contain an error
// as well. `bucket` appears in the next step.
Trouble TroubleOf(const http::Response& response, std::string_view what,
                  std::string_view bucket = {});
bool HoldsError(const http::Response& response);

std::string Unquoted(std::string_view etag);

}  // namespace muster::transfer
