#include "scheduler/scheduler.h"

#include "scheduler/round.h"

namespace muster::scheduler {

Demand DemandOf(const JobSpec& spec) {
  Demand demand;
  demand.groups.reserve(spec.roles.size());
  for (const Role& role : spec.roles) {
    demand.groups.push_back({role.name, role.nodes, role.devices.kind, role.devices.count});
  }
  return demand;
}

Decision Decide(const Cluster& cluster, const std::vector<Waiting>& queue, int64_t now_ms) {
  return RunRound(cluster, queue, now_ms).decision;
}

}  // namespace muster::scheduler
