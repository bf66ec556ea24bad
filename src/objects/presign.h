#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "objects/key_ring.h"

namespace muster::objects {

// Where a signed address is valid.
struct SignedPlace {
  std::string origin;  // "http://127.0.0.1:9000"
  std::string region;
  std::string bucket, key;
};

// An address that needs no keys to read one object, for `seconds` from `wall_ms` on.
std::string PresignGet(const SignedPlace& place, const KeyPair& pair, int64_t seconds,
                       int64_t wall_ms);

}  // namespace muster::objects
