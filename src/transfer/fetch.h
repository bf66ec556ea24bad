#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "transfer/item.h"
#include "transfer/s3_client.h"
#include "transfer/worker.h"

namespace muster::transfer {

// What came of a source, and what the source said of it.
struct Fetched {
  ObjectInfo info;
  int64_t bytes = 0;
  s3::DigestKind kind = s3::DigestKind::kCrc32c;
  std::string digest;  // raw, of `kind`
  std::string crc32c;  // raw; the same where that is the kind
};

// Takes bytes in order; an Error ends the fetching and is its Trouble.
using Sink = std::function<Status(std::string_view)>;

// One try to read a stretch of an object or of what an address answers; a file is read by who
// copies it. `kind`: which digest is wanted; nothing: the one that the answer's head names.
// A stretch that is too short is kCorrupt.
Outcome<Fetched> Fetch(Worker& worker, const Item& item, const GetRange& range,
                       std::optional<s3::DigestKind> kind, const Sink& sink);

// Whose clock and keys a source is read by; null for an address.
Result<Store*> StoreOf(Worker& worker, const Item& item);

// Which digest can prove bytes to be those of the object: a checksum told, else MD5, else none, and
// then it is CRC-32C for our own use. `whole`: all bytes come in one piece.
s3::DigestKind KindFor(const std::optional<s3::Checksum>& checksum, bool etag_is_md5, bool whole);

// Holds a digest over the whole against what was told of it. kCorrupt when it is another.
Result<Check> Judge(const std::optional<s3::Checksum>& checksum, const std::string& md5_etag,
                    s3::DigestKind kind, const std::string& digest);

// What an address answers, without its body; redirections are followed.
Outcome<Item> ProbeAddress(Worker& worker, const Location& location);

}  // namespace muster::transfer
