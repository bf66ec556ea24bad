#pragma once

#include <string>
#include <vector>

#include "cli/screen.h"
#include "model/order.h"

namespace muster::cli {

// The orders of a plan for people: a table of ranks, what every rank has in common once, what sets
// them apart a rank, then files and hooks.
std::string PlanPage(const Screen& screen, const std::vector<NodeOrder>& orders);

// Takes the values of variables that look like secrets out of the orders, and the tokens, which
// only a real launch needs.
void HideSecrets(std::vector<NodeOrder>& orders);

}  // namespace muster::cli
