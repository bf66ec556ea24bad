#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "objects/key_walk.h"
#include "s3/checksum.h"

namespace muster::objects {

struct ListQuery {
  std::string prefix;
  std::string delimiter;
  std::string after;  // only keys behind this one; a common prefix counts as a whole
  int most = 1000;
};

struct ListedKey {
  std::string key;
  int64_t size = 0;
  int64_t mtime_ms = 0;
  std::string etag;
  // For clients that read the file directly.
  std::optional<s3::Checksum> checksum;
  int64_t mtime_ns = 0;
  bool beside = false;
};

struct ListPage {
  std::vector<ListedKey> keys;
  std::vector<std::string> prefixes;  // including the delimiter
  bool truncated = false;
  std::string last;  // the last returned item, for the next page; empty if none
};

// Fills in the metadata of the current key; false if it was removed.
using Examine = std::function<bool(KeyWalk&, ListedKey&)>;

// One page of a bucket's keys by the rules of S3, independent of how files are examined.
Result<ListPage> ListKeys(KeyWalk& walk, const ListQuery& query, const Examine& examine);

}  // namespace muster::objects
