#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "s3/checksum.h"
#include "transfer/location.h"
#include "transfer/near_store.h"

namespace muster::transfer {

// How a copy was verified, in ascending strength.
enum class Check { kNothing, kLength, kMd5, kSha256, kCrc };
std::string_view CheckName(Check check);  // "crc"

// One thing to copy: a file, an object, or a URL.
struct Item {
  // Relative to the named source, with '/' between components; for a single source its last
  // component.
  std::string name;
  Location at;
  int64_t size = 0;  // -1 if it is known only at the end
  int64_t mtime_ms = 0;
  std::string etag;  // of objects and URLs, without quotes
  bool etag_is_md5 = false;
  std::optional<s3::Checksum> checksum;  // of the whole object, if known
  std::optional<NearFile> file;          // of an object in a store on this machine
  bool knows_ranges = true;              // false for URLs that do not support ranges
  // Changes with the content. A copy resumes only if the identity is unchanged.
  std::string identity;
};

}  // namespace muster::transfer
