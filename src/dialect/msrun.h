#pragma once

#include <vector>

#include "dialect/framework.h"

namespace muster::dialect {

// MindSpore's launcher inside a job: one msrun per node, with its node rank in flags. Flags of the
// user are kept.
Status ApplyMsrun(const JobFacts& facts, std::vector<NodeOrder>& orders);

}  // namespace muster::dialect
