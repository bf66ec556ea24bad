#pragma once

#include <string>
#include <unordered_map>

#include "transfer/copy.h"
#include "transfer/worker.h"

namespace muster::transfer {

// What a destination has already, by relative name.
struct Existing {
  int64_t size = 0;
  int64_t mtime_ms = 0;
  std::string etag;
  bool in_source = false;
};
using ExistingNames = std::unordered_map<std::string, Existing>;

// Everything below a destination that the filter lets pass; nothing where there is none.
Result<ExistingNames> ListExisting(Worker& worker, const Location& destination,
                                   const Filter& filter);

// By size and time alone; pure. kSameBytes is answered as kUnchanged is.
bool LooksUnchanged(const Item& source, const Existing& existing, Skip skip);

// The same, reading bytes where `skip` asks for that: a file against an object's MD5 or CRC.
bool IsUnchanged(Worker& worker, const Item& source, const Location& destination,
                 const Existing& existing, Skip skip);

}  // namespace muster::transfer
