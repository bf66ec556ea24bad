#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::transfer {

// A key pair of Muster's own store, and what it may do.
struct KeyGrant {
  std::string bucket;  // "*": every one
  std::string prefix;  // of keys; empty: all
  bool write = false;
};
struct StoreKey {
  std::string access_key;
  std::string secret_key;  // told once, when it is made
  std::string user;
  std::vector<KeyGrant> grants;
};

// Documents of the store, read and written. Pure.
Result<std::vector<StoreKey>> ReadKeys(std::string_view xml);
Result<StoreKey> ReadNewKey(std::string_view xml);
std::string WriteNewKey(const StoreKey& wanted);

}  // namespace muster::transfer
