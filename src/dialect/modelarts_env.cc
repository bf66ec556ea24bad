#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/boot_file.h"
#include "dialect/command.h"
#include "dialect/devices.h"
#include "dialect/environment.h"
#include "dialect/modelarts.h"
#include "dialect/plan.h"
#include "model/source.h"

namespace muster::dialect {

namespace {

constexpr int kConnectSeconds = 1800;

std::string UpperName(std::string_view role) {
  std::string upper;
  for (const char c : role) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    upper += letter ? char(c & ~32) : (c >= '0' && c <= '9') ? c : '_';
  }
  return upper;
}

// The index of a node among those of its role, which are consecutive.
int RoleNode(const JobFacts& facts, int node) {
  int first = 0;
  for (const Role& role : facts.spec->roles) {
    if (&role == facts.role_of_node[size_t(node)]) break;
    first += role.nodes;
  }
  return node - first;
}

std::string FullName(const JobFacts& facts, int node) {
  return fmt::format("{}.{}", MaInstance(facts, node), MaJobName(facts.places->job));
}

// The place of the channel with this name, or of the first one.
std::string PlaceOf(const Pairs& places, std::string_view name) {
  const auto found = std::ranges::find(places, name, [](const auto& pair) { return pair.first; });
  if (found != places.end()) return found->second;
  return places.empty() ? "" : places.front().second;
}

void SetFolders(const MaLayout& layout, Pairs& env) {
  SetEnv(env, "MA_HOME", layout.home);
  SetEnv(env, "MA_MOUNT_PATH", layout.mount);
  SetEnv(env, "MA_JOB_DIR", layout.job_dir);
  SetEnv(env, "MA_LOG_DIR", layout.log);
  SetEnv(env, "MA_SCRIPT_INTERPRETER", "");
  SetEnv(env, "WORKSPACE", layout.code);
}

void SetNode(const JobFacts& facts, NodeOrder& order) {
  const NodeShare& share = facts.allocation->nodes[size_t(order.node)];
  Pairs& env = order.env;
  const int index = RoleNode(facts, order.node);
  SetEnv(env, "MA_NUM_HOSTS", facts.allocation->nodes.size());
  SetEnv(env, "MA_NUM_GPUS", share.kind == "cpu" ? 0 : int(share.devices.size()));
  SetEnv(env, "MA_TASK_NAME", facts.role_of_node[size_t(order.node)]->name);
  for (const char* name : {"VC_TASK_INDEX", "VK_TASK_INDEX", "MA_TASK_INDEX"}) {
    SetEnv(env, name, index);
  }
  SetEnv(env, "MA_CURRENT_IP", share.address);
  SetEnv(env, "MA_CURRENT_HOST_IP", share.address);
  SetEnv(env, "MA_CURRENT_INSTANCE_NAME", MaInstance(facts, order.node));
}

// Variables of the first generation, which scripts also read in the second.
void SetFirstGeneration(const PlatformJob& job, const MaLayout& layout, NodeOrder& order) {
  const JobFacts& facts = *job.facts;
  const auto& nodes = facts.allocation->nodes;
  const NodeShare& share = nodes[size_t(order.node)];
  Pairs& env = order.env;
  const std::string uuid = JobUuid(facts.places->job);
  SetEnv(env, "DLS_JOB_ID", uuid);
  SetEnv(env, "DLS_TASK_INDEX", order.node);
  SetEnv(env, "DLS_TASK_NUMBER", nodes.size());
  SetEnv(env, "DLS_APP_URL", "file://" + layout.code);
  SetEnv(env, "DLS_DATA_URL",
         PlaceOf(layout.v2 ? facts.spec->inputs : job.outside->inputs, "data_url"));
  const Pairs& outputs = layout.v2 ? facts.spec->outputs : job.outside->outputs;
  SetEnv(env, "DLS_TRAIN_URL",
         outputs.empty()
             ? ""
             : OutputFolder({"train_url", PlaceOf(outputs, "train_url")}, *facts.places));
  SetEnv(env, "DLS_USE_UPLOADER", 1);
  const std::string logs = WithJobId(job.outside->logs, facts.places->job);
  SetEnv(env, "DLS_UPLOAD_LOG_OBS_DIR", IsBucket(logs) ? logs : layout.log);
  SetEnv(env, "BATCH_JOB_ID", uuid);
  SetEnv(env, "BATCH_TASK_INDEX", order.node);
  SetEnv(env, "BATCH_TASK_CURRENT_HOST_IP", share.address);
  SetEnv(env, "BATCH_TASK_CURRENT_INSTANCE", MaInstance(facts, order.node));
  SetEnv(env, "BATCH_CURRENT_HOST", share.address);
  SetEnv(env, "BATCH_CURRENT_PORT", job.port);
  // Paddle's launchers expect addresses and add ports themselves.
  const bool bare = job.outside->framework == "paddle";
  const auto host = [&](const NodeShare& node) {
    return bare ? node.address : Endpoint(node.address, job.port);
  };
  const bool all = NamesEveryNode(facts, "BATCH_CUSTOM<i>_HOSTS", order);
  for (size_t i = 0; all && i < nodes.size(); ++i) {
    env.emplace_back(fmt::format("BATCH_CUSTOM{}_HOSTS", i), host(nodes[i]));
  }
  if (nodes.size() == 1) {
    SetEnv(env, fmt::format("BATCH_{}.0_HOSTS", job.outside->name), host(share));
  }
}

}  // namespace

std::string MaJobName(JobId job) { return "modelarts-job-" + JobUuid(job); }

std::string MaInstance(const JobFacts& facts, int node) {
  return fmt::format("{}-{}-{}", MaJobName(facts.places->job),
                     facts.role_of_node[size_t(node)]->name, RoleNode(facts, node));
}

MaNames NamesOf(const JobFacts& facts) {
  MaNames names;
  Aliases aliases;
  int node = 0;
  for (const Role& role : facts.spec->roles) {
    std::string list, lines;
    for (int i = 0; i < role.nodes; ++i, ++node) {
      const std::string name = FullName(facts, node);
      list += (i == 0 ? "" : ",") + name;
      lines += name + "\n";
      aliases.emplace_back(node, name);
      aliases.emplace_back(node, MaInstance(facts, node));
    }
    names.hosts.emplace_back(fmt::format("VC_{}_HOSTS", UpperName(role.name)), std::move(list));
    names.files.push_back({fmt::format("{}/{}.host", kVolcano, role.name), std::move(lines)});
  }
  names.aliases = std::move(aliases);
  return names;
}

void SetMaVariables(const PlatformJob& job, const MaLayout& layout, const MaNames& names,
                    NodeOrder& order) {
  const JobFacts& facts = *job.facts;
  SetEnvDefault(order.env, "HOME", layout.home);
  if (layout.v2) {
    SetFolders(layout, order.env);
    SetEnv(order.env, "MA_VJ_NAME", MaJobName(facts.places->job));
  }
  SetNode(facts, order);
  for (const Role& role : facts.spec->roles) {
    SetEnv(order.env, fmt::format("VC_{}_NUM", UpperName(role.name)), role.nodes);
  }
  for (const auto& [name, hosts] : names.hosts) SetLongEnv(order, name, hosts);
  SetFirstGeneration(job, layout, order);
}

void SetMaCard(const MaLayout& layout, const RankFacts& rank, NodeOrder& order,
               RankOrder& process) {
  process.cwd = layout.job_dir;
  if (rank.share->kind != "npu") return;
  Pairs& env = process.env;
  const bool one_each = rank.local_world == int(rank.share->devices.size());
  if (one_each) {  // otherwise the framework's launcher counts
    SetEnvDefault(env, "RANK_ID", rank.rank);
    SetEnvDefault(env, "RANK_SIZE", rank.world);
    SetEnvDefault(env, "DEVICE_ID", std::max(0, DeviceIndex(rank)));
  }
  SetEnvDefault(order.env, "HCCL_CONNECT_TIMEOUT", kConnectSeconds);
  SetEnv(env, "ASCEND_PROCESS_LOG_PATH",
         fmt::format("{}/ascend/process_log/rank_{}", layout.log, rank.rank));
  process.cwd = fmt::format("{}/device{}", layout.workspace, rank.local_rank);
  order.folders.push_back(process.cwd);
}

Status AddMaTables(const PlatformJob& job, const MaLayout& layout, std::vector<NodeOrder>& orders) {
  const JobFacts& facts = *job.facts;
  std::vector<std::string> pods;
  for (const NodeOrder& order : orders) pods.push_back(MaInstance(facts, order.node));
  MUSTER_ASSIGN(const Shared<std::string> own, PlatformTable(facts, TableForm::kPlain, pods));
  MUSTER_ASSIGN(const Shared<std::string> platform, PlatformTable(facts, TableForm::kCloud, pods));
  for (NodeOrder& order : orders) {
    order.files.push_back({layout.rank_table, own});
    order.files.push_back({"/user/config/jobstart_hccl.json", platform});
    SetEnv(order.env, "JOB_ID", MaJobName(facts.places->job));
    SetEnv(order.env, "RANK_TABLE_FILE_V_1_0", layout.rank_table);
    // Processes of cards read the table; commands look for it in the platform's folder.
    const bool boots = !order.boot_file.empty();
    SetEnv(order.env, "RANK_TABLE_FILE", boots ? layout.rank_table : "/user/config");
  }
  return {};
}

}  // namespace muster::dialect
