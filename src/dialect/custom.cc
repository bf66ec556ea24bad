#include "dialect/environment.h"
#include "dialect/framework.h"

namespace muster::dialect {

namespace {

// Any program: it receives a rendezvous address and reads its rank from the MUSTER_ variables.
Status Apply(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  const NodeShare& first = facts.first();
  for (NodeOrder& order : orders) {
    SetEnv(order.env, "MUSTER_MASTER_ADDR", first.address);
    SetEnv(order.env, "MUSTER_MASTER_PORT", first.ports.front());
  }
  return {};
}

}  // namespace

const Framework kCustom{
    .name = "custom",
    .summary = "any program; rank and meeting point are in MUSTER_ variables",
    .ports = OnePort,
    .processes = RanksOfRole,
    .apply = Apply,
};

}  // namespace muster::dialect
