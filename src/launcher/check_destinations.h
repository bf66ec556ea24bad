#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/staging.h"
#include "transfer/stores.h"

namespace muster::launcher {

// Whether the buckets are there that outputs and logs will go to: better told before a job trains
// for a night than after. An error when an output has none; notes for people about logs. A store
// that cannot be asked now may be there in the end, and is no error.
Result<std::vector<std::string>> CheckDestinations(const Staging& staging,
                                                   transfer::Stores& stores);

}  // namespace muster::launcher
