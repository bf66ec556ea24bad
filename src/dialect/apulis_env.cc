#include <fmt/format.h>

#include "base/text.h"
#include "dialect/apulis.h"
#include "dialect/command.h"
#include "dialect/devices.h"
#include "dialect/environment.h"
#include "dialect/job_rank_table.h"
#include "dialect/plan.h"

namespace muster::dialect {

namespace {

constexpr int kSshPort = 22;  // of the ssh replacement, which does not listen

// The variables that name one node for all others: DLWS_SD_worker0_IP and similar.
void SetPeer(const NodeShare& share, const std::string& name, Pairs& env) {
  const auto set = [&](const char* what, std::string value) {
    env.emplace_back(fmt::format("DLWS_SD_{}_{}", name, what), std::move(value));
  };
  set("IP", share.address);
  set("SSH_PORT", std::to_string(kSshPort));
  set("IB_IP", share.address);
  set("HOST_IP", share.address);
}

void SetIdentity(const PlatformJob& job, const ApLayout& layout, NodeOrder& order) {
  Pairs& env = order.env;
  SetEnv(env, "DLWS_JOB_ID", layout.job_uuid);
  SetEnv(env, "DLWS_USER_NAME", layout.user);
  SetEnvDefault(env, "DLWS_USER_EMAIL", layout.user + "@localhost");
  SetEnvDefault(env, "DLWS_UID", 0);
  SetEnvDefault(env, "DLWS_GID", 0);
  SetEnvDefault(env, "DLWS_VC_NAME", "platform");
  const Command& run = job.outside->roles.front().run;
  SetLongEnv(order, "DLWS_LAUNCH_CMD", run.words.empty() ? run.text : ShellJoin(run.words));
}

std::string RoleName(size_t nodes) { return nodes == 1 ? "master" : "worker"; }

}  // namespace

std::string NpuAddresses(const TableHost& host) {
  std::string list;
  for (size_t i = 0; i < host.addresses.size(); ++i) {
    list += fmt::format("{}{}:{}", i == 0 ? "" : ",", host.devices[i], host.addresses[i]);
  }
  return list;
}

ApLayout ApLayoutOf(const JobSpec& spec, JobId job) {
  ApLayout layout{.user = "apulis", .home = {}, .job_uuid = JobUuid(job), .npu = {}};
  for (const auto& [name, value] : spec.roles.front().env) {
    if (name == "DLWS_USER_NAME") layout.user = value;  // validated by the reader
  }
  layout.home = "/home/" + layout.user;
  layout.npu = fmt::format("{}/.npu/{}", layout.home, layout.job_uuid);
  return layout;
}

void SetApVariables(const PlatformJob& job, const ApLayout& layout, std::span<const TableHost> npus,
                    NodeOrder& order) {
  const JobFacts& facts = *job.facts;
  const auto& nodes = facts.allocation->nodes;
  const NodeShare& share = nodes[size_t(order.node)];
  Pairs& env = order.env;
  SetEnvDefault(env, "HOME", layout.home);
  SetIdentity(job, layout, order);
  SetEnv(env, "POD_NAME", fmt::format("{}-worker{}", layout.job_uuid, order.node));
  SetEnv(env, "POD_IP", share.address);
  SetEnv(env, "DLWS_NUM_PS", nodes.size() == 1 ? 0 : 1);
  SetEnv(env, "DLWS_NUM_WORKER", nodes.size());
  SetEnv(env, "DLWS_WORKER_NUM", nodes.size());
  SetEnv(env, "DLWS_NUM_GPU_PER_WORKER", share.kind == "cpu" ? 0 : int(share.devices.size()));
  SetEnvDefault(env, "DLWS_GPU_TYPE",
                share.kind == "npu"   ? "huawei_npu_arm64"
                : share.kind == "gpu" ? "nvidia_gpu_amd64"
                                      : share.kind);
  if (share.kind == "cpu") SetEnvDefault(env, "NVIDIA_VISIBLE_DEVICES", "");
  SetEnv(env, "DLWS_ROLE_NAME", RoleName(nodes.size()));
  SetEnv(env, "DLWS_ROLE_IDX", order.node);
  SetEnv(env, "DLTS_ROLE_IDX", order.node);
  SetEnv(env, "DLWS_IS_NPU_JOB", !npus.empty() ? "true" : "false");
  SetEnv(env, "DLWS_HOST_NETWORK", "enable");
  if (!order.code_dir.empty()) SetEnvDefault(env, "CODE_PATH", order.work_dir + "/code");
  SetEnvDefault(env, "OUTPUT_PATH", layout.home);
  SetPeer(share, "SELF", env);
  const bool all = NamesEveryNode(facts, "DLWS_SD_worker<i>_*", order);
  for (size_t i = 0; all && i < nodes.size(); ++i)
    SetPeer(nodes[i], fmt::format("worker{}", i), env);
  if (nodes.size() > 1) SetPeer(nodes.front(), "ps0", env);
  if (npus.empty()) return;
  for (size_t i = 0; all && i < npus.size(); ++i) {
    env.emplace_back(fmt::format("DLWS_SD_worker{}_NPU_IP_LIST", i), NpuAddresses(npus[i]));
  }
  SetEnv(env, "NPU_IPS", NpuAddresses(npus[size_t(order.node)]));
  SetEnv(env, "VISIBLE_IDS", DeviceNumbers(share));
}

}  // namespace muster::dialect
