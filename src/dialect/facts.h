#pragma once

#include "dialect/framework.h"
#include "dialect/plan.h"

namespace muster::dialect {

// Numbers all processes over nodes and roles. kInvalid if the allocation does not match the job.
Result<JobFacts> GatherFacts(const JobSpec& spec, const Allocation& allocation,
                             const Places& places, const Framework& framework);

}  // namespace muster::dialect
