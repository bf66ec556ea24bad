#pragma once

#include <vector>

#include "base/result.h"
#include "store/journal.h"
#include "store/sqlite.h"

namespace muster::store {

// Executes a batch inside the caller's transaction. After a failure the caller must roll back.
Status ApplyBatch(Database& db, const std::vector<Op>& batch);

}  // namespace muster::store
