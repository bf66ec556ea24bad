#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include "scheduler/scheduler.h"

namespace muster {

// For what is printed when a property breaks.
inline void showValue(const NodeInfo& node, std::ostream& out) {
  out << node.name;
  for (const auto& [kind, count] : node.devices) out << " " << kind << ":" << count;
}

namespace scheduler {

// Small random worlds and the brute force that knows them, for the property tests of this folder.

inline int Between(int low, int high) { return *rc::gen::inRange(low, high + 1); }

// One job of a random queue.
struct Asked {
  Waiting job;
  int64_t runs_ms = 0;  // how long it really runs; never beyond its limit
  bool preemptible = false;
};
inline std::ostream& operator<<(std::ostream& out, const Asked& asked) {
  out << "{job " << asked.job.id << ", priority " << asked.job.priority;
  for (const Demand::Group& group : asked.job.demand.groups) {
    out << ", " << group.nodes << "x" << group.count << group.kind;
  }
  if (asked.job.limit_ms) out << ", limit " << *asked.job.limit_ms;
  return out << ", runs " << asked.runs_ms << (asked.preemptible ? ", preemptible}" : "}");
}

inline rc::Gen<std::vector<NodeInfo>> AnyNodes(int most) {
  return rc::gen::exec([most] {
    std::vector<NodeInfo> nodes(size_t(Between(1, most)));
    for (size_t i = 0; i < nodes.size(); ++i) {
      nodes[i].name = "node-" + std::to_string(i);
      nodes[i].devices = {{"npu", Between(0, 6)}, {"cpu", Between(1, 3)}};
    }
    return nodes;
  });
}

inline rc::Gen<Demand> AnyDemand(int most_groups) {
  return rc::gen::exec([most_groups] {
    Demand demand;
    const int groups = Between(1, most_groups);
    for (int i = 0; i < groups; ++i) {
      demand.groups.push_back({"role" + std::to_string(i), Between(1, 3),
                               Between(0, 4) == 0 ? "cpu" : "npu", Between(1, 5)});
    }
    return demand;
  });
}

enum class Limits { kSome, kAll, kExact };  // kExact: every job runs until its limit

inline rc::Gen<Asked> AnyAsked(Limits limits) {
  return rc::gen::exec([limits] {
    Asked asked;
    asked.runs_ms = Between(1, 50) * 10;
    asked.job.priority = Between(-1, 1);
    asked.job.demand = *AnyDemand(2);
    asked.preemptible = Between(0, 2) == 0;
    if (limits != Limits::kSome || Between(0, 1) == 1) {
      asked.job.limit_ms = asked.runs_ms + (limits == Limits::kExact ? 0 : Between(0, 300));
    }
    return asked;
  });
}

// Jobs numbered in the order they were submitted.
inline rc::Gen<std::vector<Asked>> AnyJobs(Limits limits) {
  return rc::gen::map(rc::gen::container<std::vector<Asked>>(AnyAsked(limits)),
                      [](std::vector<Asked> jobs) {
                        if (jobs.size() > 20) jobs.resize(20);
                        for (size_t i = 0; i < jobs.size(); ++i) jobs[i].job.id = JobId(i) + 1;
                        return jobs;
                      });
}

// How many devices of each kind each node has left.
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

// Every way to put every node of every group on every machine.
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

// When `demand` fits at the earliest if every holder stays until its limit and those that stop are
// gone at once; nothing when that is not known.
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

}  // namespace scheduler
}  // namespace muster
