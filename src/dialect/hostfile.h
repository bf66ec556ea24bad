#pragma once

#include <string>
#include <vector>

#include "dialect/framework.h"

namespace muster::dialect {

// Lists of hosts in the forms of the launchers that read them; service roles are left out.

// "node-0 slots=8" a line: Open MPI, Horovod, DeepSpeed. Of one role, or of all.
std::string SlotLines(const JobFacts& facts, const std::vector<NodeOrder>& orders,
                      const Role* only = nullptr);
// "node-0:8" a line: Hydra.
std::string HydraLines(const JobFacts& facts, const std::vector<NodeOrder>& orders);
// A script that prints the lines: Horovod asks it again and again when it is elastic.
std::string DiscoveryScript(const JobFacts& facts, const std::vector<NodeOrder>& orders);

}  // namespace muster::dialect
