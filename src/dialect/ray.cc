#include <fmt/format.h>

#include "base/text.h"
#include "dialect/environment.h"
#include "dialect/extra.h"
#include "dialect/framework.h"

namespace muster::dialect {

namespace {

// A Ray cluster inside the job: a head on the first node and a worker on every other node as
// services, and the job's command as the driver.

int Processes(const JobSpec& spec, const Role& role, int role_node) {
  return &role == &spec.roles.front() && role_node == 0 ? 1 : 0;
}

const char* ResourceFlag(std::string_view kind) {
  return kind == "gpu" ? "--num-gpus" : kind == "cpu" ? "--num-cpus" : nullptr;
}

std::vector<std::string> StartWords(const JobFacts& facts, const NodeShare& share) {
  const NodeShare& first = facts.first();
  std::vector<std::string> words{"ray", "start", "--block", "--disable-usage-stats",
                                 "--node-ip-address=" + share.address};
  if (share.index == 0) {
    words.insert(words.end(), {"--head", fmt::format("--port={}", first.ports.front()),
                               "--include-dashboard=false"});
  } else {
    words.push_back("--address=" + Endpoint(first.address, first.ports.front()));
  }
  if (const char* flag = ResourceFlag(share.kind)) {
    words.push_back(fmt::format("{}={}", flag, share.devices.size()));
  } else if (!share.devices.empty()) {
    words.push_back(fmt::format("--resources={{\"{}\": {}}}", share.kind, share.devices.size()));
  }
  return words;
}

// The driver waits for the head, because Ray fails if the cluster is not running.
std::vector<std::string> Driver(const std::vector<std::string>& argv) {
  return {"/bin/sh", "-c",
          "until ray status >/dev/null 2>&1; do sleep 1; done; exec " + ShellJoin(argv)};
}

Status Apply(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  const NodeShare& first = facts.first();
  RankOrder& driver = orders.front().ranks.front();
  DropRankEnv(driver.env);
  driver.argv = Driver(driver.argv);
  for (NodeOrder& order : orders) {
    const NodeShare& share = facts.allocation->nodes[size_t(order.node)];
    SetEnv(order.env, "RAY_ADDRESS", Endpoint(first.address, first.ports.front()));
    AddExtra(facts, orders, order.node, share.index == 0 ? "ray-head" : "ray-worker",
             StartWords(facts, share));
  }
  return {};
}

}  // namespace

const Framework kRay{
    .name = "ray",
    .summary = "Ray: a head and workers as services, the command as their driver",
    .ports = OnePort,
    .processes = Processes,
    .apply = Apply,
};

}  // namespace muster::dialect
