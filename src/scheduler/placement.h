#pragma once

#include <optional>

#include "scheduler/device_pool.h"
#include "scheduler/scheduler.h"

namespace muster::scheduler {

// Places all nodes of a demand, or returns nothing. Best fit: each chosen node has the fewest
// remaining devices, equal nodes in cluster order, and grants its lowest free numbers. If several
// groups compete for one kind and best fit fails, a bounded search follows.
std::optional<Placement> Place(const DevicePool& pool, const Demand& demand);

// The shares for engines and launchers. Node indices count over all groups in order.
Allocation ToAllocation(const Placement& placement, const Demand& demand,
                        const std::vector<NodeInfo>& nodes);

}  // namespace muster::scheduler
