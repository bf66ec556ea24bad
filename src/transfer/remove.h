#pragma once

#include <functional>
#include <span>
#include <string>

#include "transfer/copy.h"
#include "transfer/worker.h"

namespace muster::transfer {

// Removes `names` below a folder of files or objects, and reports each removed name to `gone`.
// Continues after an error and returns the first one.
Status RemoveBelow(Worker& worker, const Location& folder, std::span<const std::string> names,
                   const std::function<void(const std::string& name)>& gone);

struct RemoveOptions {
  bool recursive = false;
  Filter filter = {};
  bool dry_run = false;
};

// Removes an object, or all objects below it, and reports each to the observer. Returns their
// number.
Result<int64_t> Remove(const Location& location, const RemoveOptions& options, Stores& stores,
                       Observer& observer);

}  // namespace muster::transfer
