#include "dialect/job_rank_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/device_addresses.h"

namespace muster::dialect {

namespace {

Result<std::vector<std::string>> AddressesOf(const JobFacts& facts, const NodeShare& share,
                                             const std::vector<int>& devices) {
  std::string rule = facts.spec->launch.device_addresses;
  if (rule.empty() && !share.device_addresses.empty()) {
    std::vector<std::string> addresses;
    for (const int device : devices) {
      const auto found = share.device_addresses.find(device);
      if (found == share.device_addresses.end()) {
        return Fail(
            Code::kInvalid,
            fmt::format("node {} does not know the address of its device {}", share.node, device),
            "complete /etc/hccn.conf there, or give launch.device_addresses a rule");
      }
      addresses.push_back(found->second);
    }
    return addresses;
  }
  if (rule.empty() && share.is_virtual) rule = kPlanesRule;
  if (rule.empty()) {
    if (facts.allocation->nodes.size() == 1) return std::vector<std::string>();
    return Fail(Code::kInvalid,
                fmt::format("a rank table over several servers needs device addresses, and node {} "
                            "has no /etc/hccn.conf",
                            share.node),
                fmt::format("give launch.device_addresses a rule, such as {}", kPlanesRule));
  }
  std::vector<std::string> addresses;
  for (const int device : devices) {
    MUSTER_ASSIGN(std::string address, AddressByRule(rule, share.index, device));
    addresses.push_back(std::move(address));
  }
  return addresses;
}

}  // namespace

Result<std::vector<TableHost>> TableHostsOf(const JobFacts& facts) {
  std::vector<TableHost> hosts;
  for (const NodeShare& share : facts.allocation->nodes) {
    TableHost host{.server = share.address, .devices = share.devices};
    std::sort(host.devices.begin(), host.devices.end());  // in the order of the visible devices
    MUSTER_ASSIGN(host.addresses, AddressesOf(facts, share, host.devices));
    hosts.push_back(std::move(host));
  }
  return hosts;
}

Result<JobRankTable> MakeJobRankTable(const JobFacts& facts, TableForm form) {
  for (const NodeShare& share : facts.allocation->nodes) {
    const Role& role = *facts.role_of_node[size_t(share.index)];
    if (share.kind != "npu" || role.ranks != int(share.devices.size())) {
      return Fail(Code::kInvalid,
                  fmt::format("a rank table is for one rank on each NPU, role {} has {} ranks on "
                              "{}:{}",
                              role.name, role.ranks, share.kind, share.devices.size()),
                  "ask for npu devices and as many ranks, or choose another launch.start");
    }
  }
  MUSTER_ASSIGN(const std::vector<TableHost> hosts, TableHostsOf(facts));
  JobRankTable made;
  MUSTER_ASSIGN(made.table, MakeRankTable(hosts, form));
  const json::object document = ToJsonObject(made.table);
  for (const TableFault& fault : ReadRankTable(document).faults) {
    if (fault.warning) continue;
    return Fail(
        Code::kInvalid,
        fmt::format("the rank table of this job would be refused by HCCL: {}", FaultLine(fault)),
        "give launch.device_addresses a rule that fits, or another shape of job");
  }
  made.text = ToPrettyJson(document);
  return made;
}

std::string RankTablePath(const NodeOrder& order) { return order.dir + "/rank_table.json"; }

}  // namespace muster::dialect
