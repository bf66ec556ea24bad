#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/command.h"
#include "dialect/devices.h"
#include "dialect/environment.h"
#include "dialect/framework.h"
#include "dialect/paddle_launch.h"
#include "dialect/paddle_servers.h"
#include "dialect/plan.h"
#include "dialect/version.h"

namespace muster::dialect {

namespace {

// Every trainer listens at an endpoint and knows the endpoints of all trainers.

constexpr std::string_view kGlooBackend = "gloo";
constexpr std::string_view kCustomBackend = "xccl";

std::string Endpoints(const JobFacts& facts) {
  std::string list;
  for (const RankFacts& rank : facts.ranks) {
    if (!list.empty()) list += ",";
    list += Endpoint(rank.share->address, rank.share->ports[size_t(rank.local_rank)]);
  }
  return list;
}

const char* SelectedFlag(std::string_view kind) {
  if (kind == "gpu") return "FLAGS_selected_gpus";
  if (kind == "npu") return "FLAGS_selected_npus";
  return kind == "xpu" ? "FLAGS_selected_xpus" : nullptr;
}

void SetNodeVariables(const JobFacts& facts, Version version, const std::string& endpoints,
                      NodeOrder& order) {
  const NodeShare& share = facts.allocation->nodes[size_t(order.node)];
  Pairs& env = order.env;
  SetEnv(env, "PADDLE_TRAINERS_NUM", facts.ranks.size());
  // If the list is too long for a variable, Paddle uses the rendezvous below.
  if (endpoints.size() < kLongestEndpoints) SetEnv(env, "PADDLE_TRAINER_ENDPOINTS", endpoints);
  SetPaddleDefaults(share, env);
  if (version < kMasterLaunch) return;
  const NodeShare& first = facts.first();
  SetEnv(env, "PADDLE_MASTER", Endpoint(first.address, first.ports.back()));
  SetEnv(env, "PADDLE_GLOBAL_SIZE", facts.ranks.size());
  SetEnv(env, "PADDLE_NNODES", facts.allocation->nodes.size());
  SetEnv(env, "PADDLE_LOG_DIR", fmt::format("{}/{}", order.dir, kPaddleLogFolder));
  if (share.kind == "cpu") {
    SetEnvDefault(env, "PADDLE_DISTRI_BACKEND", std::string(kGlooBackend));
  } else if (share.kind != "gpu" && share.kind != "xpu") {
    SetEnvDefault(env, "PADDLE_DISTRI_BACKEND", std::string(kCustomBackend));
    SetEnvDefault(env, "PADDLE_XCCL_BACKEND", share.kind);
    if (share.kind == "npu") SetEnv(env, "NPU_VISIBLE_DEVICES", DeviceNumbers(share));
  }
  if (const auto timeout = facts.spec->launch.timeout_ms) {
    SetEnvDefault(env, "PADDLE_PG_TIMEOUT", *timeout);
  }
}

// Paddle 2.1 and 2.2 use other names for devices.
void SetAcceleratorVariables(const RankFacts& rank, int device, Pairs& env) {
  env.emplace_back("FLAGS_selected_accelerators", std::to_string(device));
  env.emplace_back("PADDLE_LOCAL_DEVICE_IDS", std::to_string(device));
  env.emplace_back("PADDLE_WORLD_DEVICE_IDS", DeviceNumbers(*rank.share));
}

void SetTrainerVariables(Version version, const RankFacts& rank, Pairs& env) {
  const auto number = [&](const char* name, int value) {
    env.emplace_back(name, std::to_string(value));
  };
  number("PADDLE_TRAINER_ID", rank.rank);
  env.emplace_back("PADDLE_CURRENT_ENDPOINT",
                   Endpoint(rank.share->address, rank.share->ports[size_t(rank.local_rank)]));
  env.emplace_back("TRAINING_ROLE", "TRAINER");
  env.emplace_back("PADDLE_TRAINING_ROLE", "TRAINER");
  const int device = DeviceIndex(rank);
  const char* selected = SelectedFlag(rank.share->kind);
  if (selected != nullptr && device >= 0) number(selected, device);
  if (version < kRankInNode) return;
  number("PADDLE_RANK_IN_NODE", rank.local_rank);
  if (version < kMasterLaunch) {
    if (device >= 0) SetAcceleratorVariables(rank, device, env);
    return;
  }
  number("PADDLE_GLOBAL_RANK", rank.rank);
  number("PADDLE_LOCAL_RANK", rank.local_rank);
  number("PADDLE_LOCAL_SIZE", rank.local_world);
}

Status ApplyCollective(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  const Version version = VersionOf(*facts.spec, kCurrentPaddle);
  const std::string endpoints = Endpoints(facts);
  for (NodeOrder& order : orders) SetNodeVariables(facts, version, endpoints, order);
  EachRank(facts, orders, [&](const RankFacts& rank, NodeOrder&, RankOrder& process) {
    SetTrainerVariables(version, rank, process.env);
  });
  return {};
}

int Processes(const JobSpec& spec, const Role& role, int) {
  return UsesPaddleLaunch(spec, role) ? 1 : role.ranks;
}

Status Apply(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  for (NodeOrder& order : orders) {
    SetMeetingDefaults(*facts.spec, facts.allocation->nodes[size_t(order.node)], order.env);
  }
  if (HasPaddleServers(*facts.spec)) return ApplyPaddleServers(facts, orders);
  if (UsesPaddleLaunch(*facts.spec, facts.spec->roles.front())) {
    return ApplyPaddleLaunch(facts, orders);
  }
  return ApplyCollective(facts, orders);
}

}  // namespace

const Framework kPaddle{
    .name = "paddle",
    .summary = "PaddlePaddle: collective and parameter servers, or its launcher once a node",
    .ports = APortARank,
    .common_ports = PortsOfPaddleLaunch,
    .processes = Processes,
    .apply = Apply,
};

}  // namespace muster::dialect
