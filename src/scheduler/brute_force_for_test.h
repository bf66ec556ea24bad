#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/scheduler.h"

namespace muster::scheduler {

// Reference results for small clusters by exhaustive search; shares no code with the product.

// The number of free devices of each kind on each node.
using Counts = std::vector<std::map<std::string, int>>;

inline Counts CountsOf(const std::vector<NodeInfo>& nodes) {
  Counts counts;
  for (const NodeInfo& node : nodes) counts.push_back(node.devices);
  return counts;
}

inline void Add(Counts& counts, const std::vector<NodeInfo>& nodes, const Allocation& allocation,
                int sign) {
  for (const NodeShare& share : allocation.nodes) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].name == share.node) counts[i][share.kind] += sign * int(share.devices.size());
    }
  }
}

// Tries every assignment of nodes of every group to machines.
inline bool Fits(Counts& free, const Demand& demand, size_t group = 0, int placed = 0,
                 size_t from = 0) {
  if (group == demand.groups.size()) return true;
  const Demand::Group& of = demand.groups[group];
  if (placed == of.nodes) return Fits(free, demand, group + 1, 0, 0);
  for (size_t node = from; node < free.size(); ++node) {
    if (free[node][of.kind] < of.count) continue;
    free[node][of.kind] -= of.count;
    const bool fits = Fits(free, demand, group, placed + 1, node + 1);
    free[node][of.kind] += of.count;
    if (fits) return true;
  }
  return false;
}

inline bool FitsEmpty(const std::vector<NodeInfo>& nodes, const Demand& demand) {
  Counts all = CountsOf(nodes);
  return Fits(all, demand);
}

inline bool Contains(const std::vector<JobId>& ids, JobId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// The earliest time at which `demand` fits if every holder runs until its limit and stopping jobs
// end at once. Nothing if it is unknown.
inline std::optional<int64_t> EarliestFit(const Cluster& cluster, const std::vector<JobId>& leaving,
                                          const Demand& demand, int64_t now_ms) {
  Counts free = CountsOf(cluster.nodes);
  std::multimap<int64_t, const Holding*> ends;
  for (const Holding& job : cluster.running) {
    Add(free, cluster.nodes, job.allocation, -1);
    if (job.stopping || Contains(leaving, job.id)) {
      ends.emplace(now_ms, &job);
    } else if (job.until_ms) {
      ends.emplace(std::max(now_ms, *job.until_ms), &job);
    }
  }
  if (Fits(free, demand)) return now_ms;
  for (const auto& [at, job] : ends) {
    Add(free, cluster.nodes, job->allocation, +1);
    if (Fits(free, demand)) return at;
  }
  return std::nullopt;
}

}  // namespace muster::scheduler
