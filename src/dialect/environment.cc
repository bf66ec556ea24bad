#include "dialect/environment.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/devices.h"
#include "dialect/plan.h"

namespace muster::dialect {

namespace {

auto Find(Pairs& env, std::string_view name) {
  return std::find_if(env.begin(), env.end(),
                      [name](const auto& pair) { return pair.first == name; });
}

void SetJobEnv(const JobFacts& facts, Pairs& env) {
  const Places& places = *facts.places;
  SetEnv(env, "MUSTER_JOB_ID", std::to_string(places.job));
  SetEnv(env, "MUSTER_JOB_NAME", facts.spec->name);
  SetEnv(env, "MUSTER_ATTEMPT", std::to_string(places.attempt));
  SetEnv(env, "MUSTER_ATTEMPT_TOKEN", places.token);
  SetEnv(env, "MUSTER_JOB_DIR", places.job_dir);
  if (!facts.spec->submit_dir.empty()) SetEnv(env, "MUSTER_SUBMIT_DIR", facts.spec->submit_dir);
  SetEnv(env, "MUSTER_OUTPUT_DIR", places.job_dir + "/outputs");
  SetEnv(env, "MUSTER_NODES", std::to_string(facts.allocation->nodes.size()));
  SetEnv(env, "MUSTER_NODE_ADDRESSES", facts.addresses);
}

}  // namespace

void SetEnv(Pairs& env, std::string_view name, std::string value) {
  if (const auto found = Find(env, name); found != env.end()) {
    found->second = std::move(value);
  } else {
    env.emplace_back(name, std::move(value));
  }
}

void SetEnvDefault(Pairs& env, std::string_view name, std::string value) {
  if (Find(env, name) == env.end()) env.emplace_back(name, std::move(value));
}

void DropEnv(Pairs& env, std::string_view name) {
  std::erase_if(env, [name](const auto& pair) { return pair.first == name; });
}

int ThreadsFor(const NodeShare& share, int processes) {
  if (share.kind != "cpu") return 1;
  return std::max(1, int(share.devices.size()) / std::max(1, processes));
}

bool IsLoopback(const NodeShare& share) {
  return share.is_virtual || share.address.starts_with("127.") || share.address == "::1" ||
         share.address == "localhost";
}

std::string Interface(const JobSpec& spec, const NodeShare& share) {
  if (!spec.launch.interface.empty()) return spec.launch.interface;
  return IsLoopback(share) ? "lo" : "";
}

void SetMeetingDefaults(const JobSpec& spec, const NodeShare& share, Pairs& env) {
  const std::string interface = Interface(spec, share);
  if (!interface.empty()) {
    for (const char* name : {"GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "TP_SOCKET_IFNAME"}) {
      SetEnvDefault(env, name, interface);
    }
  }
  if (share.kind != "npu") return;
  if (!interface.empty()) SetEnvDefault(env, "HCCL_SOCKET_IFNAME", interface);
  if (!IsLoopback(share)) SetEnvDefault(env, "HCCL_IF_IP", share.address);
  if (spec.launch.timeout_ms) {
    const int64_t seconds = *spec.launch.timeout_ms / 1000;
    SetEnvDefault(env, "HCCL_CONNECT_TIMEOUT", std::clamp<int64_t>(seconds, 120, 7200));
  }
}

std::string Endpoint(const std::string& address, int port) {
  if (address.contains(':')) return fmt::format("[{}]:{}", address, port);
  return fmt::format("{}:{}", address, port);
}

Pairs NodeEnv(const JobFacts& facts, int node) {
  const NodeShare& share = facts.allocation->nodes[size_t(node)];
  const Role& role = *facts.role_of_node[size_t(node)];
  Pairs env = facts.spec->shell_env;
  for (const auto& [name, value] : role.env) SetEnv(env, name, value);
  SetEnvDefault(env, "PYTHONUNBUFFERED", "1");
  SetEnvDefault(env, "OMP_NUM_THREADS", std::to_string(ThreadsFor(share, role.ranks)));
  SetJobEnv(facts, env);
  SetEnv(env, "MUSTER_NODE_INDEX", std::to_string(node));
  SetEnv(env, "MUSTER_ROLE", role.name);
  SetDeviceEnv(share, env);
  SetHcclPorts(share, role.ranks, env);
  return env;
}

Pairs RankEnv(const RankFacts& rank, const NodeOrder& order) {
  // Appends without searching for duplicates: a job may have thousands of ranks.
  Pairs env;
  env.reserve(32);
  const auto number = [&](const char* name, int value) {
    env.emplace_back(name, std::to_string(value));
  };
  number("MUSTER_RANK", rank.rank);
  number("MUSTER_WORLD_SIZE", rank.world);
  number("MUSTER_LOCAL_RANK", rank.local_rank);
  number("MUSTER_LOCAL_WORLD_SIZE", rank.local_world);
  number("MUSTER_ROLE_RANK", rank.role_rank);
  number("MUSTER_ROLE_WORLD_SIZE", rank.role_world);
  SetOwnDevice(*rank.share, rank, order, env);
  return env;
}

void DropRankEnv(Pairs& env) {
  for (const char* name : {"MUSTER_RANK", "MUSTER_WORLD_SIZE", "MUSTER_LOCAL_RANK",
                           "MUSTER_LOCAL_WORLD_SIZE", "MUSTER_ROLE_RANK", "MUSTER_ROLE_WORLD_SIZE",
                           "ASCEND_DEVICE_ID", "ASCEND_PROCESS_LOG_PATH"}) {
    DropEnv(env, name);
  }
}

}  // namespace muster::dialect
