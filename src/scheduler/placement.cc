#include "scheduler/placement.h"

#include <algorithm>
#include <numeric>

namespace muster::scheduler {

namespace {

// Limits of the search that runs if best fit finds no placement.
constexpr int kMaxSearchedNodes = 64;
constexpr int kMaxSearchSteps = 20'000;

// The nodes chosen for each group of one kind.
using Choice = std::vector<std::pair<const Demand::Group*, std::vector<int>>>;

// The node with the fewest sufficient free devices, or -1; the first of equals.
int BestNode(const std::vector<int>& free, int count) {
  int best = -1;
  for (int node = 0; node < int(free.size()); ++node) {
    if (free[node] == count) return node;
    if (free[node] > count && (best < 0 || free[node] < free[best])) best = node;
  }
  return best;
}

// Best fit for a single group: fewest remaining devices first, then cluster order.
bool BestFit(const std::vector<int>& free, int nodes, int count, std::vector<int>& chosen) {
  chosen.clear();
  if (nodes == 1) {
    chosen.push_back(BestNode(free, count));
    return chosen.front() >= 0;
  }
  for (int node = 0; node < int(free.size()); ++node) {
    if (free[node] >= count) chosen.push_back(node);
  }
  if (int(chosen.size()) < nodes) return false;
  const auto less = [&free](int a, int b) {
    return free[a] != free[b] ? free[a] < free[b] : a < b;
  };
  std::nth_element(chosen.begin(), chosen.begin() + (nodes - 1), chosen.end(), less);
  chosen.resize(size_t(nodes));
  std::sort(chosen.begin(), chosen.end());
  return true;
}

bool GreedyFit(std::vector<int> free, Choice& choice) {
  for (auto& [group, chosen] : choice) {
    if (!BestFit(free, group->nodes, group->count, chosen)) return false;
    for (const int node : chosen) free[node] -= group->count;
  }
  return true;
}

// Depth-first search over the groups of one kind, the most demanding first. Nodes are tried in
// order of free devices, and of equal nodes only the first, so that no set is tried twice.
class Search {
 public:
  Search(std::vector<int> free, Choice& choice) : free_(std::move(free)), choice_(choice) {}
  bool Run() { return Group(0); }

 private:
  bool Group(size_t index) {
    if (index == choice_.size()) return true;
    choice_[index].second.clear();
    std::vector<int> order(free_.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [this](int a, int b) { return free_[a] != free_[b] ? free_[a] < free_[b] : a < b; });
    return Node(index, order, 0);
  }

  bool Node(size_t index, const std::vector<int>& order, size_t from) {
    const auto& [group, chosen] = choice_[index];
    if (int(chosen.size()) == group->nodes) return Group(index + 1);
    int tried = -1;
    for (size_t at = from; at < order.size(); ++at) {
      const int node = order[at];
      if (free_[node] < group->count || free_[node] == tried) continue;
      if (--steps_left_ < 0) return false;
      tried = free_[node];
      free_[node] -= group->count;
      choice_[index].second.push_back(node);
      if (Node(index, order, at + 1)) return true;
      choice_[index].second.pop_back();
      free_[node] += group->count;
    }
    return false;
  }

  std::vector<int> free_;
  Choice& choice_;
  int steps_left_ = kMaxSearchSteps;
};

// Free devices of each node; none where the machine lacks the memory for one node of the demand.
std::vector<int> UsableCounts(const DevicePool& pool, int kind, int64_t memory) {
  std::vector<int> free = pool.FreeCounts(kind);
  for (int node = 0; node < int(free.size()); ++node) {
    if (pool.FreeMemory(node) < memory) free[size_t(node)] = 0;
  }
  return free;
}

bool ChooseNodes(const DevicePool& pool, int kind, int64_t memory, Choice& choice) {
  if (choice.size() == 1) {  // for one group best fit is exact
    auto& [group, chosen] = choice.front();
    if (memory == 0) return BestFit(pool.FreeCounts(kind), group->nodes, group->count, chosen);
    return BestFit(UsableCounts(pool, kind, memory), group->nodes, group->count, chosen);
  }
  const std::vector<int> free = UsableCounts(pool, kind, memory);
  std::sort(choice.begin(), choice.end(), [](const auto& a, const auto& b) {
    return a.first->count != b.first->count ? a.first->count > b.first->count : a.first < b.first;
  });
  if (GreedyFit(free, choice)) return true;
  int64_t nodes = 0;
  for (const auto& [group, chosen] : choice) nodes += group->nodes;
  if (nodes > kMaxSearchedNodes) return false;
  if (!Search(free, choice).Run()) return false;
  for (auto& [group, chosen] : choice) std::sort(chosen.begin(), chosen.end());
  return true;
}

// A group that asks for no device runs on any node whose machine has the memory. Fewer nodes than
// asked for where there are not enough of them.
std::vector<int> FirstNodes(const DevicePool& pool, int nodes, int64_t memory) {
  std::vector<int> chosen;
  for (int node = 0; node < pool.node_count() && int(chosen.size()) < nodes; ++node) {
    if (memory == 0 || pool.FreeMemory(node) >= memory) chosen.push_back(node);
  }
  return chosen;
}

// Whether every machine has the memory for all nodes that were chosen on it. Nodes are chosen by
// their devices; where machines differ, another choice might have fit.
bool MemoryFits(const DevicePool& pool, const Placement& placement) {
  std::vector<int64_t> wanted(size_t(pool.machine_count()), 0);
  return std::ranges::all_of(placement, [&](const Grant& grant) {
    int64_t& sum = wanted[size_t(pool.MachineOf(grant.node))];
    sum += grant.memory;
    return grant.memory == 0 || sum <= pool.FreeMemory(grant.node);
  });
}

bool Reasonable(const DevicePool& pool, const Demand& demand) {
  if (demand.groups.empty()) return false;
  return std::all_of(demand.groups.begin(), demand.groups.end(), [&](const Demand::Group& group) {
    return group.nodes >= 1 && group.nodes <= pool.node_count() && group.count >= 0;
  });
}

// Grants device numbers on the nodes chosen for one group. Earlier groups have the lowest numbers.
void GrantDevices(const DevicePool& pool, int kind, int index, const Demand::Group& group,
                  const std::vector<int>& chosen, Placement& placement) {
  for (const int node : chosen) {
    int taken = 0;
    for (size_t i = 0; index > 0 && i < placement.size(); ++i) {
      const Grant& grant = placement[i];
      if (grant.kind == kind && grant.node == node) taken += int(grant.devices.size());
    }
    std::vector<int> devices = pool.LowestFree(kind, node, taken + group.count);
    devices.erase(devices.begin(),
                  devices.begin() + std::min<ptrdiff_t>(taken, std::ssize(devices)));
    placement.push_back(Grant{index, kind, node, std::move(devices)});
  }
}

}  // namespace

std::optional<Placement> Place(const DevicePool& pool, const Demand& demand) {
  if (!Reasonable(pool, demand)) return std::nullopt;
  std::vector<std::pair<int, Choice>> kinds;
  for (const Demand::Group& group : demand.groups) {
    const int kind = group.count == 0 ? -1 : pool.KindIndex(group.kind);
    if (kind < 0 && group.count > 0) return std::nullopt;
    auto at = std::find_if(kinds.begin(), kinds.end(),
                           [kind](const auto& entry) { return entry.first == kind; });
    if (at == kinds.end()) at = kinds.insert(kinds.end(), {kind, Choice{}});
    at->second.emplace_back(&group, std::vector<int>{});
  }
  for (auto& [kind, choice] : kinds) {
    if (kind < 0) {
      for (auto& [group, chosen] : choice) {
        chosen = FirstNodes(pool, group->nodes, demand.memory);
        if (int(chosen.size()) < group->nodes) return std::nullopt;
      }
    } else if (!ChooseNodes(pool, kind, demand.memory, choice)) {
      return std::nullopt;
    }
  }
  Placement placement;
  for (const Demand::Group& group : demand.groups) {
    for (const auto& [kind, choice] : kinds) {
      for (const auto& [of, chosen] : choice) {
        if (of != &group) continue;
        GrantDevices(pool, kind, int(&group - demand.groups.data()), group, chosen, placement);
      }
    }
  }
  if (demand.memory == 0) return placement;
  for (Grant& grant : placement) grant.memory = demand.memory;
  if (!MemoryFits(pool, placement)) return std::nullopt;
  return placement;
}

Allocation ToAllocation(const Placement& placement, const Demand& demand,
                        const std::vector<NodeInfo>& nodes) {
  Allocation allocation;
  allocation.nodes.reserve(placement.size());
  for (const Grant& grant : placement) {
    const Demand::Group& group = demand.groups[size_t(grant.group)];
    const NodeInfo& node = nodes[size_t(grant.node)];
    allocation.nodes.push_back(NodeShare{.index = int(allocation.nodes.size()),
                                         .role = group.role,
                                         .node = node.name,
                                         .address = node.address,
                                         .is_virtual = node.is_virtual,
                                         .kind = group.kind,
                                         .devices = grant.devices,
                                         .ports = {},
                                         .device_addresses = node.device_addresses});
  }
  return allocation;
}

}  // namespace muster::scheduler
