#include "dialect/facts.h"

#include <fmt/format.h>

namespace muster::dialect {

namespace {

std::unexpected<Error> Mismatch(const std::string& what) {
  return Fail(Code::kInvalid, "the allocation does not match the job: " + what,
              "place the job again");
}

Status Check(const JobSpec& spec, const Allocation& allocation, const Framework& framework) {
  if (spec.roles.empty()) return Fail(Code::kInvalid, "the job has no role", "give it a `run:`");
  const int ports = framework.ports(spec);
  size_t index = 0;
  for (const Role& role : spec.roles) {
    if (role.nodes < 1 || role.ranks < 1) {
      return Fail(
          Code::kInvalid,
          fmt::format("role {} has {} nodes of {} ranks", role.name, role.nodes, role.ranks),
          "give it at least one of each");
    }
    for (int i = 0; i < role.nodes; ++i, ++index) {
      if (index >= allocation.nodes.size()) return Mismatch("nodes are missing");
      const NodeShare& share = allocation.nodes[index];
      if (share.index != int(index) || share.role != role.name) {
        return Mismatch(fmt::format("node {} is of role {}", share.index, share.role));
      }
      if (int(share.ports.size()) < ports) {
        return Mismatch(fmt::format("node {} has {} ports, {} needs {}", index, share.ports.size(),
                                    framework.name, ports));
      }
    }
  }
  if (index != allocation.nodes.size()) return Mismatch("there are nodes of no role");
  return {};
}

}  // namespace

Result<JobFacts> GatherFacts(const JobSpec& spec, const Allocation& allocation,
                             const Places& places, const Framework& framework) {
  MUSTER_TRY(Check(spec, allocation, framework));
  JobFacts facts{.spec = &spec, .allocation = &allocation, .places = &places};
  for (const NodeShare& share : allocation.nodes) {
    facts.addresses += (facts.addresses.empty() ? "" : ",") + share.address;
  }
  size_t node = 0;
  for (const Role& role : spec.roles) {
    const size_t role_begin = facts.ranks.size();
    for (int role_node = 0; role_node < role.nodes; ++role_node, ++node) {
      facts.role_of_node.push_back(&role);
      const int processes = framework.processes(spec, role, role_node);
      for (int local = 0; local < processes; ++local) {
        facts.ranks.push_back(RankFacts{.rank = int(facts.ranks.size()),
                                        .local_rank = local,
                                        .local_world = processes,
                                        .node = int(node),
                                        .nodes = int(allocation.nodes.size()),
                                        .role_rank = int(facts.ranks.size() - role_begin),
                                        .role_node = role_node,
                                        .role_nodes = role.nodes,
                                        .share = &allocation.nodes[node],
                                        .role = &role});
      }
    }
    for (size_t i = role_begin; i < facts.ranks.size(); ++i) {
      facts.ranks[i].role_world = int(facts.ranks.size() - role_begin);
    }
  }
  for (RankFacts& rank : facts.ranks) rank.world = int(facts.ranks.size());
  return facts;
}

}  // namespace muster::dialect
