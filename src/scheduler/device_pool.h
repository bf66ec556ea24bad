#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/allocation.h"

namespace muster::scheduler {

// Devices of one kind on one node, granted to one group of a demand or held by a running job.
struct Grant {
  int group = 0;
  int kind = -1;             // DevicePool::KindIndex; -1 without devices
  int node = 0;              // index in Cluster::nodes
  std::vector<int> devices;  // ascending
  int64_t memory = 0;        // bytes on that node
};
using Placement = std::vector<Grant>;  // by group, then by node

// Which devices are free, and how much memory of each machine. A value: copying one asks "what if".
// Counts holders rather than marking them, so that two jobs that claim one device (after an
// operator took nodes away) do not free it for each other.
class DevicePool {
 public:
  explicit DevicePool(const std::vector<NodeInfo>& nodes);

  int node_count() const { return node_count_; }
  int KindIndex(std::string_view kind) const;  // -1 if no node has the kind
  int Free(int kind, int node) const { return kind < 0 ? 0 : kinds_[kind].free[node]; }
  // Free counts of all nodes in cluster order; empty for kind -1.
  const std::vector<int>& FreeCounts(int kind) const;
  // The `count` lowest free device numbers. Precondition: `count` is at most Free.
  std::vector<int> LowestFree(int kind, int node, int count) const;

  // Memory of the machine that a node is on; of nodes on one machine it is the same number.
  int MachineOf(int node) const { return machine_of_[size_t(node)]; }
  int64_t FreeMemory(int node) const { return free_memory_[size_t(MachineOf(node))]; }
  int64_t MostFreeMemory() const;  // of all machines; 0 without nodes
  const std::vector<int64_t>& free_memory() const { return free_memory_; }  // by machine
  // Leaves of each machine's memory at most what `most` says.
  void CapMemory(const std::vector<int64_t>& most);
  int machine_count() const { return int(free_memory_.size()); }

  void Take(const Grant& grant);
  void Give(const Grant& grant);
  void Take(const Placement& placement);
  void Give(const Placement& placement);

 private:
  struct Kind {
    std::string name;
    // Index of each node's first device in `holders`; one more entry than nodes.
    std::vector<int> first;
    std::vector<int> free;  // number of free devices per node
    std::vector<uint16_t> holders;
  };
  // The holder count of a device; null if the node does not have it.
  uint16_t* Holders(int kind, int node, int device);

  int node_count_ = 0;
  std::vector<int> machine_of_;       // node -> machine
  std::vector<int64_t> free_memory_;  // machine -> bytes; negative when a reservation is counted
  std::vector<Kind> kinds_;
};

// Resolves node and device names of an allocation. Omits nodes and devices that no longer exist.
class NodeNames {
 public:
  explicit NodeNames(const std::vector<NodeInfo>& nodes);
  // `memory`: bytes on each node.
  Placement Resolve(const Allocation& allocation, const DevicePool& pool, int64_t memory = 0) const;

 private:
  std::unordered_map<std::string_view, int> index_;
};

}  // namespace muster::scheduler
