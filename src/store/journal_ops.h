#pragma once

#include <vector>

#include "base/result.h"
#include "store/journal.h"
#include "store/sqlite.h"

namespace muster::store {

// Carries out one batch inside the caller's transaction. After a failure some of it may have been
// done: the caller rolls back.
Status ApplyBatch(Database& db, const std::vector<Op>& batch);

}  // namespace muster::store
