#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "s3/checksum.h"
#include "transfer/location.h"
#include "transfer/near_store.h"

namespace muster::transfer {

// How it is known that a copy is whole, strongest last.
enum class Check { kNothing, kLength, kMd5, kSha256, kCrc };
std::string_view CheckName(Check check);  // "crc"

// One thing to copy: a file, an object, or what an address answers.
struct Item {
  std::string name;  // relative to what was named, '/' between components; its last name for one
  Location at;
  int64_t size = 0;  // -1: only its end will tell
  int64_t mtime_ms = 0;
  std::string etag;  // of objects and addresses, without quotes
  bool etag_is_md5 = false;
  std::optional<s3::Checksum> checksum;  // of the whole, where it was told
  std::optional<NearFile> file;          // of an object whose store is on this machine
  bool knows_ranges = true;              // an address may not
  // Changes when the content does; a copy that was begun goes on only while this is the same.
  std::string identity;
};

}  // namespace muster::transfer
