#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/allocation.h"
#include "model/order.h"
#include "model/spec.h"

namespace muster::dialect {

struct Places;

// The facts for one process that Muster starts; launch contracts render them.
struct RankFacts {
  int rank = 0, world = 1;
  int local_rank = 0, local_world = 1;
  int node = 0, nodes = 1;  // in the whole job
  int role_rank = 0, role_world = 1;
  int role_node = 0, role_nodes = 1;
  const NodeShare* share = nullptr;  // the node of this rank
  const Role* role = nullptr;
};

struct JobFacts {
  const JobSpec* spec = nullptr;
  const Allocation* allocation = nullptr;
  const Places* places = nullptr;
  std::vector<RankFacts> ranks;           // all, by rank
  std::vector<const Role*> role_of_node;  // by node index
  std::string addresses;                  // of all nodes, separated by commas

  const NodeShare& first() const { return allocation->nodes.front(); }
  // The first of the ports that are equal on every node.
  int common_port() const {
    // Attempts from earlier versions have another port of their own instead.
    return allocation->common_ports.empty() ? first().ports.back()
                                            : allocation->common_ports.front();
  }
};

// The contract of a framework; one file each, one row in frameworks.cc.
struct Framework {
  const char* name;
  const char* summary;
  // Number of ports reserved on each node of the job.
  int (*ports)(const JobSpec& spec);
  // Number of consecutive ports that are equal on every node; null for none.
  int (*common_ports)(const JobSpec& spec) = nullptr;
  // Number of processes that Muster starts on a node: role.ranks, or fewer if the framework's
  // launcher starts the ranks.
  int (*processes)(const JobSpec& spec, const Role& role, int role_node);
  // `orders` contain ranks, commands, device variables and common variables; this function adds
  // those of the framework. kInvalid for unsuitable jobs.
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
      if (process.rank < int(facts.ranks.size())) {  // the framework added the other ones
        visit(facts.ranks[size_t(process.rank)], order, process);
      }
    }
  }
}

// Common implementations of `ports` and `processes`.
int NoPorts(const JobSpec& spec);
int OnePort(const JobSpec& spec);
int APortARank(const JobSpec& spec);  // and one for the rendezvous
int RanksOfRole(const JobSpec& spec, const Role& role, int role_node);

}  // namespace muster::dialect
