#pragma once

#include <vector>

#include "dialect/framework.h"

namespace muster::dialect {

// MindSpore's own launcher inside a job: one msrun a node, told by flags who it is. What the user
// gave of them stays.
Status ApplyMsrun(const JobFacts& facts, std::vector<NodeOrder>& orders);

}  // namespace muster::dialect
