#include "dialect/environment.h"
#include "dialect/framework.h"

namespace muster::dialect {

namespace {

int Processes(const JobSpec&, const Role& role, int) { return role.ranks; }

// Any program: it gets a meeting point, and reads place and number from the MUSTER_ variables.
Status Apply(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  for (NodeOrder& order : orders) {
    for (RankOrder& rank : order.ranks) {
      const RankFacts& fact = facts.ranks[size_t(rank.rank)];
      SetEnv(rank.env, "MUSTER_MASTER_ADDR", fact.master_address);
      SetEnv(rank.env, "MUSTER_MASTER_PORT", std::to_string(fact.master_port));
    }
  }
  return {};
}

}  // namespace

const Framework kCustom{
    .name = "custom",
    .summary = "any program; rank and meeting point are in MUSTER_ variables",
    .ports_per_node = 1,
    .processes = Processes,
    .apply = Apply,
};

}  // namespace muster::dialect
