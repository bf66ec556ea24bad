#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "transfer/item.h"
#include "transfer/s3_client.h"
#include "transfer/worker.h"

namespace muster::transfer {

// The result of a fetch, and the metadata that the source returned.
struct Fetched {
  ObjectInfo info;
  int64_t bytes = 0;
  s3::DigestKind kind = s3::DigestKind::kCrc32c;
  std::string digest;  // raw bytes, of `kind`
  std::string crc32c;  // raw bytes; equal to `digest` for kCrc32c
};

// Receives the bytes in order. An Error ends the fetch and becomes its Trouble.
using Sink = std::function<Status(std::string_view)>;

// One attempt to read a range of an object or a URL. Local files are read by the copy itself.
// `kind` selects the digest; nothing selects the one named in the response headers. Too few bytes
// are kCorrupt.
Outcome<Fetched> Fetch(Worker& worker, const Item& item, const GetRange& range,
                       std::optional<s3::DigestKind> kind, const Sink& sink);

// The store whose clock and credentials apply to the source; null for a URL.
Result<Store*> StoreOf(Worker& worker, const Item& item);

// The digest that can verify the object: a known checksum, else MD5, else none, and then CRC-32C
// for internal use. `whole`: all bytes arrive in one piece.
s3::DigestKind KindFor(const std::optional<s3::Checksum>& checksum, bool etag_is_md5, bool whole);

// Compares a digest of the whole object with the known checksum. kCorrupt if they differ.
Result<Check> Judge(const std::optional<s3::Checksum>& checksum, const std::string& md5_etag,
                    s3::DigestKind kind, const std::string& digest);

// The metadata of a URL without its body. Redirections are followed.
Outcome<Item> ProbeAddress(Worker& worker, const Location& location);

}  // namespace muster::transfer
