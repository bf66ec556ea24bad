#pragma once

#include <string>
#include <vector>

#include "dialect/framework.h"

namespace muster::dialect {

// Adds a process that the framework needs and the job file does not name, such as a scheduler: a
// service, numbered after all ranks, in the node's folder and with the node's environment. The
// reference is valid until the next process is added to the node.
RankOrder& AddExtra(const JobFacts& facts, std::vector<NodeOrder>& orders, int node,
                    const std::string& role, std::vector<std::string> argv);

}  // namespace muster::dialect
