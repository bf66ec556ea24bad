#pragma once

#include <string>
#include <vector>

#include "dialect/framework.h"

namespace muster::dialect {

// Adds a process that the job file does not name but a framework needs, such as a scheduler: a
// service, numbered behind all ranks, in the node's folder and with the node's environment alone.
// The reference is good until the next process is added to that node.
RankOrder& AddExtra(const JobFacts& facts, std::vector<NodeOrder>& orders, int node,
                    const std::string& role, std::vector<std::string> argv);

}  // namespace muster::dialect
