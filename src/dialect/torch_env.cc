#include "dialect/torch_env.h"

#include "dialect/environment.h"

namespace muster::dialect {

World::World(const JobFacts& facts)
    : ranks(facts.ranks.size(), -1), node_ranks(facts.allocation->nodes.size(), -1) {}

void World::Add(const RankFacts& rank) {
  if (first == nullptr) first = rank.share;
  ranks[size_t(rank.rank)] = size++;
  int& node = node_ranks[size_t(rank.node)];
  if (node < 0) node = nodes++;
}

void SetMeeting(const World& world, const RankFacts& rank, NodeOrder& order) {
  // As torchrun sets it: a lost peer ends a collective on devices instead of an endless wait.
  SetEnvDefault(order.env, "TORCH_NCCL_ASYNC_ERROR_HANDLING", 1);
  SetEnv(order.env, "MASTER_ADDR", world.first->address);
  SetEnv(order.env, "MASTER_PORT", world.first->ports.front());
  SetEnv(order.env, "NODE_RANK", world.node_ranks[size_t(rank.node)]);
}

void SetRankVariables(const World& world, const RankFacts& rank, Pairs& env) {
  const auto number = [&](const char* name, int value) {
    env.emplace_back(name, std::to_string(value));
  };
  number("RANK", world.ranks[size_t(rank.rank)]);
  number("WORLD_SIZE", world.size);
  number("LOCAL_RANK", rank.local_rank);
  number("LOCAL_WORLD_SIZE", rank.local_world);
  number("GROUP_RANK", world.node_ranks[size_t(rank.node)]);
  number("GROUP_WORLD_SIZE", world.nodes);
  number("ROLE_RANK", rank.role_rank);
  number("ROLE_WORLD_SIZE", rank.role_world);
  env.emplace_back("ROLE_NAME", rank.role->name);
}

}  // namespace muster::dialect
