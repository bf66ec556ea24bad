#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "scheduler/scheduler.h"

namespace muster {

// Output of a failing property.
inline void showValue(const NodeInfo& node, std::ostream& out) {
  out << node.name;
  for (const auto& [kind, count] : node.devices) out << " " << kind << ":" << count;
}

namespace scheduler {

// Small random clusters and queues for the property tests of this folder.

inline int Between(int low, int high) { return *rc::gen::inRange(low, high + 1); }

// A job of a random queue.
struct Asked {
  Waiting job;
  int64_t runs_ms = 0;  // its real run time; never above its limit
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

// Jobs numbered in submit order.
inline rc::Gen<std::vector<Asked>> AnyJobs(Limits limits) {
  return rc::gen::map(rc::gen::container<std::vector<Asked>>(AnyAsked(limits)),
                      [](std::vector<Asked> jobs) {
                        if (jobs.size() > 20) jobs.resize(20);
                        for (size_t i = 0; i < jobs.size(); ++i) jobs[i].job.id = JobId(i) + 1;
                        return jobs;
                      });
}

}  // namespace scheduler
}  // namespace muster
