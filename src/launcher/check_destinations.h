#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/staging.h"
#include "transfer/stores.h"

namespace muster::launcher {

// Checks before the ranks start that the buckets for outputs and logs exist. An error if the bucket
// of an output is missing; notes for missing log buckets. A store that does not respond now may be
// available later and is not an error.
Result<std::vector<std::string>> CheckDestinations(const Staging& staging,
                                                   transfer::Stores& stores);

}  // namespace muster::launcher
