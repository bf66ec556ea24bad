#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/command.h"
#include "dialect/devices.h"
#include "dialect/environment.h"
#include "dialect/extra.h"
#include "dialect/framework.h"
#include "dialect/job_rank_table.h"
#include "dialect/mpirun.h"
#include "dialect/msrun.h"
#include "dialect/plan.h"
#include "dialect/version.h"

namespace muster::dialect {

namespace {

// MindSpore looks for a cluster (MS_ variables), then for MPI, then for a rank table, and uses the
// first one; so only the variables of one way may be set.

constexpr Version kCurrent{2, 10};
constexpr Version kFirstCluster{2, 0};  // in earlier versions MS_ROLE meant parameter servers only
constexpr Version kFirstPlainTable{0, 6};  // earlier versions support the lab form only
constexpr int kNodeTimeoutSeconds = 60;    // the manual says 30, the source 300
constexpr std::array<std::string_view, 1> kMsrun{"msrun"};

enum class Way { kCluster, kRankTable, kMsrun, kMpirun, kSingle };

bool IsScheduler(const Role& role) { return role.name == "scheduler"; }
bool IsServer(const Role& role) { return role.name == "ps" || role.name == "pserver"; }

Way ChooseWay(const JobSpec& spec) {
  const std::string& start = spec.launch.start;
  if (start == "cluster") return Way::kCluster;
  if (start == "rank_table") return Way::kRankTable;
  if (start == "msrun") return Way::kMsrun;
  if (start == "mpirun") return Way::kMpirun;
  if (start == "single") return Way::kSingle;
  const auto argv = BuildCommand(spec, spec.roles.front(), Places{});
  if (argv && RunsProgram(*argv, kMsrun)) return Way::kMsrun;
  if (argv && CallsMpirun(*argv)) return Way::kMpirun;
  if (spec.TotalRanks() == 1) return Way::kSingle;
  return VersionOf(spec, kCurrent) < kFirstCluster ? Way::kRankTable : Way::kCluster;
}

int Processes(const JobSpec& spec, const Role& role, int role_node) {
  switch (ChooseWay(spec)) {
    case Way::kMsrun:
      return 1;
    case Way::kMpirun:
      return MpirunProcesses(spec, role, role_node);
    case Way::kCluster:
    case Way::kRankTable:
    case Way::kSingle:
      break;
  }
  return role.ranks;
}

// Variables that training scripts read, independent of how MindSpore starts.
void SetScriptVariables(int rank, int world, const RankFacts& facts, int device, Pairs& env) {
  const auto number = [&](const char* name, int value) {
    env.emplace_back(name, std::to_string(value));
  };
  number("RANK_ID", rank);
  number("RANK_SIZE", world);
  number("DEVICE_ID", device);
  number("DEVICE_NUM", facts.local_world);
  number("SERVER_ID", facts.node);
}

int OwnDevice(const RankFacts& rank) { return std::max(0, DeviceIndex(rank)); }

// --- cluster: every process knows the scheduler, which is one more process

struct Cluster {
  const NodeShare* scheduler = nullptr;
  int workers = 0, servers = 0;
};

Cluster CountCluster(const JobFacts& facts) {
  Cluster cluster{.scheduler = &facts.first()};
  for (const RankFacts& rank : facts.ranks) {
    if (IsScheduler(*rank.role)) {
      cluster.scheduler = rank.share;
    } else {
      ++(IsServer(*rank.role) ? cluster.servers : cluster.workers);
    }
  }
  return cluster;
}

void SetClusterVariables(const JobFacts& facts, const Cluster& cluster, NodeOrder& order) {
  const NodeShare& share = facts.allocation->nodes[size_t(order.node)];
  SetEnv(order.env, "MS_SCHED_HOST", cluster.scheduler->address);
  SetEnv(order.env, "MS_SCHED_PORT", cluster.scheduler->ports.front());
  SetEnv(order.env, "MS_WORKER_NUM", cluster.workers);
  if (cluster.servers > 0) SetEnv(order.env, "MS_SERVER_NUM", cluster.servers);
  SetEnv(order.env, "MS_WORKER_IP", share.address);
  SetEnvDefault(order.env, "MS_NODE_TIMEOUT", kNodeTimeoutSeconds);
  if (const auto timeout = facts.spec->launch.timeout_ms) {
    SetEnvDefault(order.env, "MS_TOPO_TIMEOUT", *timeout / 1000);
  }
  SetEnv(order.env, "JOB_ID", facts.places->job);
}

Status ApplyCluster(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  const Cluster cluster = CountCluster(facts);
  for (NodeOrder& order : orders) SetClusterVariables(facts, cluster, order);
  int worker = 0, server = 0;
  bool has_scheduler = false;
  EachRank(facts, orders, [&](const RankFacts& rank, NodeOrder&, RankOrder& process) {
    if (IsScheduler(*rank.role)) {
      has_scheduler = true;
      return SetEnv(process.env, "MS_ROLE", "MS_SCHED");
    }
    const bool serves = IsServer(*rank.role);
    const int id = serves ? server++ : worker++;
    SetEnv(process.env, "MS_ROLE", serves ? "MS_PSERVER" : "MS_WORKER");
    // Decimal ids of all workers equal their ranks.
    SetEnv(process.env, "MS_NODE_ID", serves ? fmt::format("server{}", id) : fmt::to_string(id));
    if (!serves) SetScriptVariables(id, cluster.workers, rank, OwnDevice(rank), process.env);
  });
  if (has_scheduler) return {};
  // The scheduler runs the same command, serves inside init(), and ends after all workers.
  RankOrder& scheduler = AddExtra(facts, orders, 0, "scheduler", orders.front().ranks.front().argv);
  SetEnv(scheduler.env, "MS_ROLE", "MS_SCHED");
  return {};
}

// --- rank table: every rank reads where the others are

Result<TableForm> FormOf(const JobSpec& spec) {
  if (!spec.launch.rank_table.empty()) return ParseForm(spec.launch.rank_table);
  return VersionOf(spec, kCurrent) < kFirstPlainTable ? TableForm::kLab : TableForm::kPlain;
}

Status ApplyRankTable(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  MUSTER_ASSIGN(const TableForm form, FormOf(*facts.spec));
  MUSTER_ASSIGN(const JobRankTable table, MakeJobRankTable(facts, form));
  // Runtimes of that time ignore visible devices and open the given device number.
  const bool physical = VersionOf(*facts.spec, kCurrent) < kFirstCluster;
  for (NodeOrder& order : orders) {
    order.files.push_back({RankTablePath(order), table.text});
    SetEnv(order.env, "RANK_TABLE_FILE", RankTablePath(order));
    SetEnv(order.env, "MINDSPORE_HCCL_CONFIG_PATH", RankTablePath(order));
    SetEnv(order.env, "JOB_ID", facts.places->job);
    if (physical) DropEnv(order.env, "ASCEND_RT_VISIBLE_DEVICES");
  }
  std::vector<const TableServer*> servers;
  for (const TableServer& server : table.table.servers) servers.push_back(&server);
  EachRank(facts, orders, [&](const RankFacts& rank, NodeOrder&, RankOrder& process) {
    const int index = OwnDevice(rank);
    const int device = physical ? servers[size_t(rank.node)]->devices[size_t(index)].id : index;
    SetScriptVariables(rank.rank, rank.world, rank, device, process.env);
    if (physical) SetEnv(process.env, "ASCEND_DEVICE_ID", device);
    // The cloud form has no ranks: HCCL identifies a process by the name of its pod.
    if (form == TableForm::kCloud) {
      SetEnv(process.env, "RANK_ID", servers[size_t(rank.node)]->pod);
      SetEnv(process.env, "POD_NAME", servers[size_t(rank.node)]->pod);
    }
  });
  return {};
}

// --- the others

Status ApplySingle(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  for (NodeOrder& order : orders) SetEnv(order.env, "JOB_ID", facts.places->job);
  EachRank(facts, orders, [&](const RankFacts& rank, NodeOrder&, RankOrder& process) {
    SetScriptVariables(0, 1, rank, OwnDevice(rank), process.env);
  });
  return {};
}

Status Apply(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  for (NodeOrder& order : orders) {
    SetMeetingDefaults(*facts.spec, facts.allocation->nodes[size_t(order.node)], order.env);
  }
  switch (ChooseWay(*facts.spec)) {
    case Way::kCluster:
      return ApplyCluster(facts, orders);
    case Way::kRankTable:
      return ApplyRankTable(facts, orders);
    case Way::kMsrun:
      return ApplyMsrun(facts, orders);
    case Way::kMpirun:
      return ApplyMpirun(facts, orders);
    case Way::kSingle:
      break;
  }
  return ApplySingle(facts, orders);
}

}  // namespace

const Framework kMindspore{
    .name = "mindspore",
    .summary = "MindSpore: dynamic cluster, rank table, msrun or mpirun",
    .ports = OnePort,
    .processes = Processes,
    .apply = Apply,
};

}  // namespace muster::dialect
