#pragma once

#include <functional>
#include <span>
#include <string>

#include "transfer/copy.h"
#include "transfer/worker.h"

namespace muster::transfer {

// Removes what lies at `names` below a folder of files or objects; each that is gone goes to
// `gone`. Goes on after one that cannot be removed; the first such error comes back at the end.
Status RemoveBelow(Worker& worker, const Location& folder, std::span<const std::string> names,
                   const std::function<void(const std::string& name)>& gone);

struct RemoveOptions {
  bool recursive = false;
  Filter filter = {};
  bool dry_run = false;
};

// An object, or all below it. Tells the observer of each. How many.
Result<int64_t> Remove(const Location& location, const RemoveOptions& options, Stores& stores,
                       Observer& observer);

}  // namespace muster::transfer
