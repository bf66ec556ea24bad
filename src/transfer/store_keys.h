#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::transfer {

// An access key of Muster's own store and its permissions.
struct KeyGrant {
  std::string bucket;  // "*" for all buckets
  std::string prefix;  // key prefix; empty for all keys
  bool write = false;
};
struct StoreKey {
  std::string access_key;
  std::string secret_key;  // returned only when the key is created
  std::string user;
  std::vector<KeyGrant> grants;
};

// Readers and writers for the key documents of the store. Pure.
Result<std::vector<StoreKey>> ReadKeys(std::string_view xml);
Result<StoreKey> ReadNewKey(std::string_view xml);
std::string WriteNewKey(const StoreKey& wanted);

}  // namespace muster::transfer
