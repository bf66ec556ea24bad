#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/json.h"
#include "dialect/devices.h"
#include "dialect/environment.h"
#include "dialect/framework.h"
#include "dialect/job_rank_table.h"
#include "dialect/plan.h"

namespace muster::dialect {

namespace {

// TF_CONFIG contains the endpoints of all tasks by kind, and the task of the process. A process
// uses all visible GPUs, so a node has one process; with NPUs one process per device.

constexpr size_t kLongestVariable = 128 * 1024 - 64;  // the kernel's limit, including the name

std::string TaskType(const Role& role) {
  if (role.name == "master") return "chief";
  for (const char* type : {"chief", "ps", "evaluator"}) {
    if (role.name == type) return type;
  }
  return role.name == "pserver" ? "ps" : "worker";
}

int Processes(const JobSpec& spec, const Role& role, int) {
  if (spec.launch.start == "rank") return role.ranks;
  return spec.launch.start == "node" || role.devices.kind == "gpu" ? 1 : role.ranks;
}

struct Cluster {
  std::map<std::string, json::array> tasks;  // without evaluators

  explicit Cluster(const JobFacts& facts) {
    for (const RankFacts& rank : facts.ranks) {
      tasks[TaskType(*rank.role)].emplace_back(
          Endpoint(rank.share->address, rank.share->ports[size_t(rank.local_rank)]));
    }
  }

  Status Check() const {
    for (const char* type : {"chief", "evaluator"}) {
      const auto found = tasks.find(type);
      if (found == tasks.end() || found->second.size() == 1) continue;
      return Fail(
          Code::kInvalid,
          fmt::format("TensorFlow takes one {}, this job has {}", type, found->second.size()),
          "give that role one node and one rank");
    }
    return {};
  }

  std::string Text() const {
    json::object cluster;
    for (const auto& [type, endpoints] : tasks) {
      if (type != "evaluator") cluster[type] = endpoints;
    }
    return ToJson(cluster);
  }
};

// With NPUs the ranks also get HCCL's variables: a rank table if the job names a form, else a chief
// for all ranks. They exclude each other.
Status SetNpuVariables(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  const std::string& form = facts.spec->launch.rank_table;
  if (form.empty()) {
    const NodeShare& first = facts.first();
    for (NodeOrder& order : orders) {
      const NodeShare& share = facts.allocation->nodes[size_t(order.node)];
      SetEnv(order.env, "CM_CHIEF_IP", first.address);
      SetEnv(order.env, "CM_CHIEF_PORT", first.ports.back());
      SetEnv(order.env, "CM_CHIEF_DEVICE", "0");
      SetEnv(order.env, "CM_WORKER_SIZE", facts.ranks.size());
      SetEnv(order.env, "CM_WORKER_IP", share.address);
    }
    return {};
  }
  MUSTER_ASSIGN(const TableForm table_form, ParseForm(form));
  MUSTER_ASSIGN(const JobRankTable table, MakeJobRankTable(facts, table_form));
  for (NodeOrder& order : orders) {
    order.files.push_back({RankTablePath(order), table.text});
    SetEnv(order.env, "RANK_TABLE_FILE", RankTablePath(order));
    SetEnv(order.env, "RANK_SIZE", facts.ranks.size());
    SetEnv(order.env, "JOB_ID", facts.places->job);
  }
  EachRank(facts, orders, [&](const RankFacts& rank, NodeOrder&, RankOrder& process) {
    const bool pods = table_form == TableForm::kCloud;
    const std::string& pod = table.table.servers[size_t(rank.node)].pod;
    SetEnv(process.env, "RANK_ID", pods ? pod : std::to_string(rank.rank));
    SetEnv(process.env, "DEVICE_ID", DeviceIndex(rank));
    if (pods) SetEnv(process.env, "POD_NAME", pod);
  });
  return {};
}

void SetThreads(const JobFacts& facts, NodeOrder& order) {
  const NodeShare& share = facts.allocation->nodes[size_t(order.node)];
  if (share.kind != "cpu" || order.ranks.empty()) return;
  const int threads = ThreadsFor(share, int(order.ranks.size()));
  SetEnvDefault(order.env, "TF_NUM_INTRAOP_THREADS", threads);
  SetEnvDefault(order.env, "TF_NUM_INTEROP_THREADS", threads);
}

Status Apply(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  const Cluster cluster(facts);
  MUSTER_TRY(cluster.Check());
  const std::string text = cluster.Text();
  if (text.size() > kLongestVariable) {
    return Fail(Code::kInvalid,
                fmt::format("TF_CONFIG of {} tasks takes {} bytes, and one variable at most {}",
                            facts.ranks.size(), text.size(), kLongestVariable),
                "use launch: {start: node}, one process a node");
  }
  for (NodeOrder& order : orders) {
    SetMeetingDefaults(*facts.spec, facts.allocation->nodes[size_t(order.node)], order.env);
    SetThreads(facts, order);
  }
  std::map<std::string, int> next;
  EachRank(facts, orders, [&](const RankFacts& rank, NodeOrder&, RankOrder& process) {
    const std::string type = TaskType(*rank.role);
    process.env.emplace_back(
        "TF_CONFIG", fmt::format(R"({{"cluster":{},"task":{{"type":"{}","index":{}}}}})", text,
                                 type, next[type]++));
  });
  const bool npu = std::ranges::all_of(facts.allocation->nodes,
                                       [](const NodeShare& share) { return share.kind == "npu"; });
  return npu ? SetNpuVariables(facts, orders) : Status();
}

}  // namespace

const Framework kTensorflow{
    .name = "tensorflow",
    .summary = "TensorFlow: TF_CONFIG for workers, chief, ps and evaluator",
    .ports = APortARank,
    .processes = Processes,
    .apply = Apply,
};

}  // namespace muster::dialect
