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

// What object stores answer, read; and what they are sent, written. Pure: all of it comes from
// outside and is trusted with nothing.

struct ObjectInfo {
  std::string key;
  int64_t size = 0;
  int64_t mtime_ms = 0;
  std::string etag;                      // without quotes
  bool etag_is_md5 = false;              // of the bytes; a listing does not tell
  std::optional<s3::Checksum> checksum;  // of the whole object; only when it was asked for
  http::Headers kept;                    // Content-Type and metadata; from HEAD alone
  std::optional<NearFile> file;          // from the list of a store on this machine
};

struct ListPage {
  std::vector<ObjectInfo> objects;
  std::vector<std::string> prefixes;
  std::string next;  // the continuation token; empty: this was the last page
};
Result<ListPage> ReadListPage(std::string_view xml);

struct BucketInfo {
  std::string name;
  int64_t created_ms = 0;
};
Result<std::vector<BucketInfo>> ReadBuckets(std::string_view xml);

// Where a store on this machine has its files, as only Muster's tells it.
Result<NearAnswer> ReadNear(std::string_view xml);
Result<std::string> ReadStamp(std::string_view xml);
std::string WriteAdopt(std::span<const Offer> offers);

Result<std::string> ReadUploadId(std::string_view xml);
// The ETag that a copy or a completed upload tells, without quotes; empty when it tells none.
Result<std::string> ReadResultETag(std::string_view xml);

struct DeleteFault {
  std::string key, s3_code, message;
};
// What could not be deleted.
Result<std::vector<DeleteFault>> ReadDeleteFaults(std::string_view xml);

// Of an answer to HEAD or GET; the size is that of the body unless Content-Range tells the whole.
ObjectInfo ReadObjectHead(const http::Response& response);

struct CompletedPart {
  int number = 0;
  std::string etag;    // without quotes
  std::string crc32c;  // base64; empty: not told
};
std::string WriteComplete(std::span<const CompletedPart> parts);
// Whether a key can stand in a document at all.
bool FitsXml(std::string_view key);
std::string WriteDelete(std::span<const std::string> keys);

// What a multipart object's ETag is by those of its parts: md5 of the md5s, and how many. Empty
// when a part's ETag is no MD5.
std::string CompositeETag(std::span<const CompletedPart> parts);

// `what` names operation and object: "read s3://b/k". An answer of 200 may hold an error too.
// `bucket` is where it was asked for: the next step names it.
Trouble TroubleOf(const http::Response& response, std::string_view what,
                  std::string_view bucket = {});
bool HoldsError(const http::Response& response);

std::string Unquoted(std::string_view etag);

}  // namespace muster::transfer
