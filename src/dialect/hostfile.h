#pragma once

#include <string>
#include <vector>

#include "dialect/framework.h"

namespace muster::dialect {

// Host lists in the formats of launchers; service roles are omitted.

// Lines of "node-0 slots=8" for Open MPI, Horovod and DeepSpeed; of one role or of all.
std::string SlotLines(const JobFacts& facts, const std::vector<NodeOrder>& orders,
                      const Role* only = nullptr);
// Lines of "node-0:8" for Hydra.
std::string HydraLines(const JobFacts& facts, const std::vector<NodeOrder>& orders);
// A script that prints the lines, which elastic Horovod calls repeatedly.
std::string DiscoveryScript(const JobFacts& facts, const std::vector<NodeOrder>& orders);

}  // namespace muster::dialect
