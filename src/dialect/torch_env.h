#pragma once

#include <vector>

#include "dialect/framework.h"

namespace muster::dialect {

// The variables of PyTorch's env:// rendezvous, which DeepSpeed uses as well.

// The processes of one rendezvous. Processes started by Muster and by a node's launcher cannot be
// numbered together, so a job that mixes them has two worlds.
struct World {
  std::vector<int> ranks;       // rank of the job to rank in this world
  std::vector<int> node_ranks;  // node of the attempt to node in this world
  const NodeShare* first = nullptr;
  int size = 0, nodes = 0;

  explicit World(const JobFacts& facts);  // empty; use Add
  void Add(const RankFacts& rank);
};

// The rendezvous address: equal for all ranks of a node.
void SetMeeting(const World& world, const RankFacts& rank, NodeOrder& order);
// The variables of one rank.
void SetRankVariables(const World& world, const RankFacts& rank, Pairs& env);

}  // namespace muster::dialect
