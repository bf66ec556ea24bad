#pragma once

#include <string>
#include <unordered_map>

#include "transfer/copy.h"
#include "transfer/worker.h"

namespace muster::transfer {

// An existing entry of the destination, by relative name.
struct Existing {
  int64_t size = 0;
  int64_t mtime_ms = 0;
  std::string etag;
  bool in_source = false;
};
using ExistingNames = std::unordered_map<std::string, Existing>;

// All entries below the destination that pass the filter; empty if the destination does not exist.
Result<ExistingNames> ListExisting(Worker& worker, const Location& destination,
                                   const Filter& filter);

// Compares size and time only. Pure. Treats kSameBytes as kUnchanged.
bool LooksUnchanged(const Item& source, const Existing& existing, Skip skip);

// As above, and compares bytes if `skip` requires it: a file with the MD5 or CRC of an object.
bool IsUnchanged(Worker& worker, const Item& source, const Location& destination,
                 const Existing& existing, Skip skip);

}  // namespace muster::transfer
