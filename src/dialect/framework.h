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
  int role_rank = 0, role_world = 1;
  int role_node = 0, role_nodes = 1;
  const NodeShare* share = nullptr;  // this rank's node
  const Role* role = nullptr;
};

struct JobFacts {
  const JobSpec* spec = nullptr;
  const Allocation* allocation = nullptr;
  const Places* places = nullptr;
  std::vector<RankFacts> ranks;           // all, by rank
  std::vector<const Role*> role_of_node;  // by node index
  std::string addresses;                  // of all nodes, with commas between

  const NodeShare& first() const { return allocation->nodes.front(); }
  // The first port of those that are the same on every node.
  int common_port() const {
    // Attempts from before there were such ports have one more of their own.
    return allocation->common_ports.empty() ? first().ports.back()
                                            : allocation->common_ports.front();
  }
};

// One framework's contract; one file each, one row in frameworks.cc.
struct Framework {
  const char* name;
  const char* summary;
  // Ports that are reserved on each node of the job.
  int (*ports)(const JobSpec& spec);
  // Consecutive ports that must be the same on every node; null: none.
  int (*common_ports)(const JobSpec& spec) = nullptr;
  // How many processes Muster itself starts on a node: role.ranks, or fewer where the framework's
  // own launcher starts the ranks.
  int (*processes)(const JobSpec& spec, const Role& role, int role_node);
  // `orders` come with ranks, commands, device variables and the variables of every job filled in;
  // this adds its own. Unsuitable jobs fail with kInvalid.
  Status (*apply)(const JobFacts& facts, std::vector<NodeOrder>& orders);
};

const std::vector<Framework>& AllFrameworks();  // custom first

extern const Framework kCustom;
extern const Framework kPytorch;
extern const Framework kMpi;
extern const Framework kMindspore;
extern const Framework kPaddle;
extern const Framework kTensorflow;
extern const Framework kHorovod;
extern const Framework kDeepspeed;
extern const Framework kJax;
extern const Framework kRay;

// Calls visit(rank facts, node order, rank order) for every process of the job.
template <typename Visit>
void EachRank(const JobFacts& facts, std::vector<NodeOrder>& orders, Visit visit) {
  for (NodeOrder& order : orders) {
    for (RankOrder& process : order.ranks) {
      if (process.rank < int(facts.ranks.size())) {  // further ones were added by the framework
        visit(facts.ranks[size_t(process.rank)], order, process);
      }
    }
  }
}

// Usual answers to `ports` and `processes`.
int NoPorts(const JobSpec& spec);
int OnePort(const JobSpec& spec);
int APortARank(const JobSpec& spec);  // and one more for a meeting point
int RanksOfRole(const JobSpec& spec, const Role& role, int role_node);

}  // namespace muster::dialect
