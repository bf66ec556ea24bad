#pragma once

#include <vector>

#include "dialect/framework.h"

namespace muster::dialect {

// The variables of PyTorch's env:// meeting, which DeepSpeed takes over.

// The processes that meet each other. Those that Muster starts and those that a node's launcher
// starts cannot be numbered together, so a job that mixes them has two worlds.
struct World {
  std::vector<int> ranks;       // rank of the job -> rank here
  std::vector<int> node_ranks;  // node of the attempt -> node here
  const NodeShare* first = nullptr;
  int size = 0, nodes = 0;

  explicit World(const JobFacts& facts);  // empty: Add those that belong
  void Add(const RankFacts& rank);
};

// Where to meet: the same for all ranks of a node.
void SetMeeting(const World& world, const RankFacts& rank, NodeOrder& order);
// Who one rank is.
void SetRankVariables(const World& world, const RankFacts& rank, Pairs& env);

}  // namespace muster::dialect
