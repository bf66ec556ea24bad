#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/allocation.h"
#include "model/order.h"
#include "model/spec.h"

namespace muster::dialect {

struct Places;

// The facts that every launch contract renders, for one process that Muster itself starts.
struct RankFacts {
  int rank = 0, world = 1;
  int local_rank = 0, local_world = 1;
  int node = 0, nodes = 1;  // over the whole job
  std::string role;
  int role_rank = 0, role_world = 1;
  int role_node = 0, role_nodes = 1;
  std::string master_address;        // node 0 …
  int master_port = 0;               // … and its first port
  const NodeShare* share = nullptr;  // this rank's node
  const Role* spec_role = nullptr;
};

struct JobFacts {
  const JobSpec* spec = nullptr;
  const Allocation* allocation = nullptr;
  const Places* places = nullptr;
  std::vector<RankFacts> ranks;           // all, by rank
  std::vector<const Role*> role_of_node;  // by node index
};

// One framework's contract; one file each, one row in frameworks.cc.
struct Framework {
  const char* name;
  const char* summary;
  int ports_per_node;
  // How many processes Muster itself starts on a node: role.ranks, or fewer where the framework's
  // own launcher starts the ranks. Null together with `apply`: known by name, not launched yet.
  int (*processes)(const JobSpec& spec, const Role& role, int role_node);
  // `orders` come with ranks, commands, device variables and the variables of every job filled in;
  // this adds its own. Unsuitable jobs fail with kInvalid.
  Status (*apply)(const JobFacts& facts, std::vector<NodeOrder>& orders);
};

const std::vector<Framework>& AllFrameworks();  // custom first

extern const Framework kCustom;
extern const Framework kPytorch;
extern const Framework kMpi;

}  // namespace muster::dialect
