#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "scheduler/scheduler.h"

namespace muster::scheduler {

// Short constructors for clusters and jobs in the tests of this folder.

inline std::vector<NodeInfo> Npus(std::initializer_list<int> counts) {
  std::vector<NodeInfo> nodes;
  for (const int count : counts) {
    const std::string number = std::to_string(nodes.size());
    nodes.push_back(NodeInfo{.name = "node-" + number,
                             .address = "127.77.0." + std::to_string(nodes.size() + 1),
                             .is_virtual = true,
                             .devices = {{"npu", count}},
                             .models = {}});
  }
  return nodes;
}

inline Demand Npu(int nodes, int count) { return Demand{{{"worker", nodes, "npu", count}}}; }

inline Waiting Job(JobId id, Demand demand, int priority = 0,
                   std::optional<int64_t> limit_ms = std::nullopt) {
  return Waiting{.id = id, .priority = priority, .demand = std::move(demand), .limit_ms = limit_ms};
}

inline NodeShare Share(int index, int node, std::vector<int> devices) {
  return NodeShare{.index = index,
                   .role = "worker",
                   .node = "node-" + std::to_string(node),
                   .address = {},
                   .kind = "npu",
                   .devices = std::move(devices),
                   .ports = {}};
}

// Holds the first `count` devices of one node.
inline Holding Holds(JobId id, int node, int count,
                     std::optional<int64_t> until_ms = std::nullopt) {
  std::vector<int> devices;
  for (int i = 0; i < count; ++i) devices.push_back(i);
  Holding holding{.id = id, .allocation = {{Share(0, node, devices)}}, .until_ms = until_ms};
  holding.started_ms = id;
  return holding;
}

inline Holding Preemptible(Holding holding, int priority = 0) {
  holding.preemptible = true;
  holding.priority = priority;
  return holding;
}

inline std::vector<JobId> Ids(const std::vector<Start>& starts) {
  std::vector<JobId> ids;
  for (const Start& start : starts) ids.push_back(start.id);
  return ids;
}

// "node-0[0,1] node-1[2]"
inline std::string Text(const Allocation& allocation) {
  std::string text;
  for (const NodeShare& share : allocation.nodes) {
    text += (text.empty() ? "" : " ") + share.node + "[";
    for (size_t i = 0; i < share.devices.size(); ++i) {
      text += (i > 0 ? "," : "") + std::to_string(share.devices[i]);
    }
    text += "]";
  }
  return text;
}

}  // namespace muster::scheduler
