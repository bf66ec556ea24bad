#pragma once

#include <optional>

#include "scheduler/device_pool.h"
#include "scheduler/scheduler.h"

namespace muster::scheduler {

// All nodes of a demand at once, or nothing. Best fit: each node taken has the fewest devices left
// over, equal ones in the order of the cluster, and gives its lowest free numbers. When several
// groups compete for one kind and the quick way finds no room, small jobs are searched through.
std::optional<Placement> Place(const DevicePool& pool, const Demand& demand);

// The shares that engines and launchers are told: indices count over the groups in order.
Allocation ToAllocation(const Placement& placement, const Demand& demand,
                        const std::vector<NodeInfo>& nodes);

}  // namespace muster::scheduler
