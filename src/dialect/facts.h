#pragma once

#include "dialect/framework.h"
#include "dialect/plan.h"

namespace muster::dialect {

// Numbers every process over nodes and roles. kInvalid when the allocation is not one of this job.
Result<JobFacts> GatherFacts(const JobSpec& spec, const Allocation& allocation,
                             const Places& places, const Framework& framework);

}  // namespace muster::dialect
