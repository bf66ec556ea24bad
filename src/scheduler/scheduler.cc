#include "scheduler/scheduler.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "scheduler/round.h"

namespace muster::scheduler {

Demand DemandOf(const JobSpec& spec) {
  Demand demand;
  demand.groups.reserve(spec.roles.size());
  for (const Role& role : spec.roles) {
    demand.groups.push_back({role.name, role.nodes, role.devices.kind, role.devices.count});
  }
  demand.memory = spec.memory.value_or(0);
  return demand;
}

std::string MemoryFault(const std::vector<NodeInfo>& nodes, const Demand& demand) {
  if (demand.memory <= 0 || nodes.empty()) return {};
  std::map<std::string_view, int64_t> machines;
  for (const NodeInfo& node : nodes) {
    if (node.memory <= 0) return {};
    machines[node.machine.empty() ? node.name : node.machine] = node.memory;
  }
  int64_t wanted = 0, room = 0, largest = 0;
  for (const Demand::Group& group : demand.groups) wanted += group.nodes;
  for (const auto& [name, memory] : machines) {
    room += memory / demand.memory;
    largest = std::max(largest, memory);
  }
  if (wanted <= room) return {};
  if (machines.size() == 1)
    return fmt::format("at most {} for {}", HumanSize(largest),
                       wanted == 1 ? "the node" : "all nodes of the job together");
  return fmt::format("at most {} on each node, or fewer nodes", HumanSize(largest));
}

Decision Decide(const Cluster& cluster, const std::vector<Waiting>& queue, int64_t now_ms) {
  return RunRound(cluster, queue, now_ms).decision;
}

}  // namespace muster::scheduler
