#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/allocation.h"
#include "model/order.h"
#include "model/spec.h"

namespace muster::dialect {

struct Places;

// The ten facts that every launch contract renders, for one rank.
struct RankFacts {
  int rank = 0, world = 1;
  int local_rank = 0, local_world = 1;
  int node = 0, nodes = 1;                       // over the whole job
  std::string role; int role_rank = 0, role_world = 1; int role_node = 0, role_nodes = 1;
  std::string master_address; int master_port = 0;  // node 0, its first port
  const NodeShare* share = nullptr;              // this rank's node
  const Role* spec_role = nullptr;
};

struct JobFacts {
  const JobSpec* spec = nullptr;
  const Allocation* allocation = nullptr;
  const Places* places = nullptr;
  std::vector<RankFacts> ranks;                  // all, by rank
};

// One framework's contract; one file each. `orders` come with ranks, commands, device variables and
// the variables of every job filled in; Apply adds its own, or replaces ranks by its launcher.
struct Framework {
  const char* name;
  const char* summary;
  int ports_per_node;
  Status (*apply)(const JobFacts& facts, std::vector<NodeOrder>& orders);
};

const std::vector<Framework>& AllFrameworks();  // custom first

// Helpers shared by the files.
void SetEnv(Pairs& env, std::string name, std::string value);        // replaces
void SetEnvDefault(Pairs& env, std::string name, std::string value); // keeps a user's own

}  // namespace muster::dialect
