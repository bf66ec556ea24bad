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
  std::string after;  // only what comes behind it; a common prefix counts as one whole
  int most = 1000;
};

struct ListedKey {
  std::string key;
  int64_t size = 0;
  int64_t mtime_ms = 0;
  std::string etag;
  // For who reads the file itself.
  std::optional<s3::Checksum> checksum;
  int64_t mtime_ns = 0;
  bool beside = false;
};

struct ListPage {
  std::vector<ListedKey> keys;
  std::vector<std::string> prefixes;  // up to and with the delimiter
  bool truncated = false;
  std::string last;  // what came last, to go on behind; empty when nothing came
};

// Fills in what is known of the key that came last; false when it is gone.
using Examine = std::function<bool(KeyWalk&, ListedKey&)>;

// One page of a bucket's keys. The rules of S3, apart from how the files are examined.
Result<ListPage> ListKeys(KeyWalk& walk, const ListQuery& query, const Examine& examine);

}  // namespace muster::objects
