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

std::string AllAddresses(const Allocation& allocation) {
  std::vector<std::string> addresses;
  addresses.reserve(allocation.nodes.size());
  for (const NodeShare& share : allocation.nodes) addresses.push_back(share.address);
  return Join(addresses, ",");
}

void SetJobEnv(const JobFacts& facts, Pairs& env) {
  const Places& places = *facts.places;
  SetEnv(env, "MUSTER_JOB_ID", std::to_string(places.job));
  SetEnv(env, "MUSTER_JOB_NAME", facts.spec->name);
  SetEnv(env, "MUSTER_ATTEMPT", std::to_string(places.attempt));
  SetEnv(env, "MUSTER_ATTEMPT_TOKEN", places.token);
  SetEnv(env, "MUSTER_JOB_DIR", places.job_dir);
  SetEnv(env, "MUSTER_OUTPUT_DIR", places.job_dir + "/outputs");
  SetEnv(env, "MUSTER_NODES", std::to_string(facts.allocation->nodes.size()));
  SetEnv(env, "MUSTER_NODE_ADDRESSES", AllAddresses(*facts.allocation));
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

Pairs NodeEnv(const JobFacts& facts, int node) {
  const NodeShare& share = facts.allocation->nodes[size_t(node)];
  const Role& role = *facts.role_of_node[size_t(node)];
  Pairs env;
  for (const auto& [name, value] : role.env) SetEnv(env, name, value);
  SetEnvDefault(env, "PYTHONUNBUFFERED", "1");
  SetEnvDefault(env, "OMP_NUM_THREADS", std::to_string(ThreadsFor(share, role.ranks)));
  SetJobEnv(facts, env);
  SetEnv(env, "MUSTER_NODE_INDEX", std::to_string(node));
  SetEnv(env, "MUSTER_ROLE", role.name);
  SetDeviceEnv(share, env);
  return env;
}

Pairs RankEnv(const JobFacts& facts, const RankFacts& rank) {
  Pairs env = NodeEnv(facts, rank.node);
  SetEnv(env, "MUSTER_RANK", std::to_string(rank.rank));
  SetEnv(env, "MUSTER_WORLD_SIZE", std::to_string(rank.world));
  SetEnv(env, "MUSTER_LOCAL_RANK", std::to_string(rank.local_rank));
  SetEnv(env, "MUSTER_LOCAL_WORLD_SIZE", std::to_string(rank.local_world));
  SetEnv(env, "MUSTER_ROLE_RANK", std::to_string(rank.role_rank));
  SetEnv(env, "MUSTER_ROLE_WORLD_SIZE", std::to_string(rank.role_world));
  SetOwnDevice(*rank.share, rank.local_rank, env);
  return env;
}

void DropRankEnv(Pairs& env) {
  for (const char* name :
       {"MUSTER_RANK", "MUSTER_WORLD_SIZE", "MUSTER_LOCAL_RANK", "MUSTER_LOCAL_WORLD_SIZE",
        "MUSTER_ROLE_RANK", "MUSTER_ROLE_WORLD_SIZE", "ASCEND_DEVICE_ID"}) {
    DropEnv(env, name);
  }
}

}  // namespace muster::dialect
