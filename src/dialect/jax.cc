#include "dialect/devices.h"
#include "dialect/environment.h"
#include "dialect/framework.h"
#include "dialect/torch_env.h"

namespace muster::dialect {

namespace {

// JAX has a coordinator in its first process. The library reads the address and the devices itself;
// rank and count are for the script's call of initialize().
Status Apply(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  World world(facts);
  for (const RankFacts& rank : facts.ranks) {
    if (!rank.role->service) world.Add(rank);
  }
  const NodeShare& first = *world.first;
  for (NodeOrder& order : orders) {
    SetMeetingDefaults(*facts.spec, facts.allocation->nodes[size_t(order.node)], order.env);
    SetEnv(order.env, "JAX_COORDINATOR_ADDRESS", Endpoint(first.address, first.ports.front()));
    SetEnv(order.env, "JAX_COORDINATOR_PORT", first.ports.front());
    SetEnv(order.env, "JAX_NUM_PROCESSES", world.size);
    SetEnv(order.env, "COORDINATOR_ADDRESS", first.address);
    SetEnv(order.env, "COORDINATOR_PORT", first.ports.front());
    SetEnv(order.env, "NUM_PROCESSES", world.size);
  }
  EachRank(facts, orders, [&](const RankFacts& rank, NodeOrder&, RankOrder& process) {
    if (rank.role->service) return;
    SetEnv(process.env, "JAX_PROCESS_ID", world.ranks[size_t(rank.rank)]);
    SetEnv(process.env, "PROCESS_ID", world.ranks[size_t(rank.rank)]);
    // Several processes on a node share its devices; a single one uses them all.
    if (rank.local_world > 1 && DeviceIndex(rank) >= 0) {
      SetEnv(process.env, "JAX_LOCAL_DEVICE_IDS", DeviceIndex(rank));
    }
  });
  return {};
}

}  // namespace

const Framework kJax{
    .name = "jax",
    .summary = "JAX: the coordinator's address, and each process's number",
    .ports = OnePort,
    .processes = RanksOfRole,
    .apply = Apply,
};

}  // namespace muster::dialect
