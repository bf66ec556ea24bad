#pragma once

#include <vector>

#include "dialect/framework.h"

namespace muster::dialect {

// Paddle with parameter servers: roles named ps or pserver are servers, heter is its third kind,
// and all others train.
bool HasPaddleServers(const JobSpec& spec);
Status ApplyPaddleServers(const JobFacts& facts, std::vector<NodeOrder>& orders);

}  // namespace muster::dialect
