#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "store/journal.h"

namespace muster::api {

// The newest `count` events of a job, or of all jobs, in the order of seq, without those before the
// wall time `since_ms`.
Result<std::vector<store::EventRow>> LastEvents(store::Journal& journal, std::optional<JobId> job,
                                                size_t count, int64_t since_ms);

}  // namespace muster::api
