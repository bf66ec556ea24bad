#include "scheduler/device_pool.h"

#include <algorithm>
#include <limits>

namespace muster::scheduler {

namespace {

// An upper bound against mistyped configurations, which would otherwise use all memory.
constexpr int kMaxDevicesPerNode = 65'536;

// Half of what a number can hold, so that sums stay far from its end.
constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max() / 2;

}  // namespace

DevicePool::DevicePool(const std::vector<NodeInfo>& nodes) : node_count_(int(nodes.size())) {
  std::unordered_map<std::string_view, int> machines;
  for (const NodeInfo& node : nodes) {
    const std::string_view machine = node.machine.empty() ? node.name : node.machine;
    const auto [at, is_new] = machines.emplace(machine, int(free_memory_.size()));
    machine_of_.push_back(at->second);
    if (is_new) free_memory_.push_back(node.memory > 0 ? node.memory : kUnlimited);
  }
  for (const NodeInfo& node : nodes) {
    for (const auto& [name, count] : node.devices) {
      if (KindIndex(name) < 0) kinds_.push_back(Kind{.name = name});
    }
  }
  for (Kind& kind : kinds_) {
    kind.first.reserve(nodes.size() + 1);
    kind.free.reserve(nodes.size());
    int total = 0;
    for (const NodeInfo& node : nodes) {
      const auto found = node.devices.find(kind.name);
      const int count =
          found == node.devices.end() ? 0 : std::clamp(found->second, 0, kMaxDevicesPerNode);
      kind.first.push_back(total);
      kind.free.push_back(count);
      total += count;
    }
    kind.first.push_back(total);
    kind.holders.assign(size_t(total), 0);
  }
}

int DevicePool::KindIndex(std::string_view kind) const {
  for (size_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i].name == kind) return int(i);
  }
  return -1;
}

const std::vector<int>& DevicePool::FreeCounts(int kind) const {
  static const std::vector<int> kNone;
  return kind < 0 ? kNone : kinds_[kind].free;
}

std::vector<int> DevicePool::LowestFree(int kind, int node, int count) const {
  std::vector<int> devices;
  if (kind < 0) return devices;
  const Kind& of = kinds_[kind];
  devices.reserve(size_t(count));
  for (int at = of.first[node]; at < of.first[node + 1] && int(devices.size()) < count; ++at) {
    if (of.holders[at] == 0) devices.push_back(at - of.first[node]);
  }
  return devices;
}

uint16_t* DevicePool::Holders(int kind, int node, int device) {
  if (kind < 0 || device < 0) return nullptr;
  Kind& of = kinds_[kind];
  if (device >= of.first[node + 1] - of.first[node]) return nullptr;
  return &of.holders[of.first[node] + device];
}

int64_t DevicePool::MostFreeMemory() const {
  return free_memory_.empty() ? 0 : std::ranges::max(free_memory_);
}

void DevicePool::CapMemory(const std::vector<int64_t>& most) {
  for (size_t i = 0; i < free_memory_.size() && i < most.size(); ++i)
    free_memory_[i] = std::min(free_memory_[i], most[i]);
}

void DevicePool::Take(const Grant& grant) {
  free_memory_[size_t(MachineOf(grant.node))] -= grant.memory;
  for (const int device : grant.devices) {
    uint16_t* holders = Holders(grant.kind, grant.node, device);
    if (holders != nullptr && (*holders)++ == 0) --kinds_[grant.kind].free[grant.node];
  }
}

void DevicePool::Give(const Grant& grant) {
  free_memory_[size_t(MachineOf(grant.node))] += grant.memory;
  for (const int device : grant.devices) {
    uint16_t* holders = Holders(grant.kind, grant.node, device);
    if (holders != nullptr && --*holders == 0) ++kinds_[grant.kind].free[grant.node];
  }
}

void DevicePool::Take(const Placement& placement) {
  for (const Grant& grant : placement) Take(grant);
}

void DevicePool::Give(const Placement& placement) {
  for (const Grant& grant : placement) Give(grant);
}

NodeNames::NodeNames(const std::vector<NodeInfo>& nodes) {
  index_.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) index_.emplace(nodes[i].name, int(i));
}

Placement NodeNames::Resolve(const Allocation& allocation, const DevicePool& pool,
                             int64_t memory) const {
  Placement placement;
  placement.reserve(allocation.nodes.size());
  for (const NodeShare& share : allocation.nodes) {
    const auto found = index_.find(share.node);
    if (found == index_.end()) continue;
    placement.push_back(Grant{.group = share.index,
                              .kind = pool.KindIndex(share.kind),
                              .node = found->second,
                              .devices = share.devices,
                              .memory = memory});
  }
  return placement;
}

}  // namespace muster::scheduler
