#include <algorithm>
#include <array>

#include "dialect/command.h"
#include "dialect/environment.h"
#include "dialect/framework.h"
#include "dialect/plan.h"

namespace muster::dialect {

namespace {

// PyTorch meets through four variables (env://), so that Muster starts every rank itself. Two other
// kinds of job bring a launcher of their own, one process a node, and get what torchrun reads.
constexpr std::array<std::string_view, 3> kNodeLaunchers{"torchrun", "torch.distributed.run",
                                                         "torch.distributed.launch"};

bool CallsTorchrun(const JobSpec& spec, const Role& role) {
  const auto argv = BuildCommand(spec, role, Places{});
  return argv && RunsProgram(*argv, kNodeLaunchers);
}

// One process for several accelerators spreads over them itself. One process on several cpu slots
// is simply one with threads.
bool SpreadsItself(const Role& role) {
  return role.ranks == 1 && role.devices.count > 1 && role.devices.kind != "cpu";
}

bool LaunchesItself(const JobSpec& spec, const Role& role) {
  return SpreadsItself(role) || CallsTorchrun(spec, role);
}

int Processes(const JobSpec& spec, const Role& role, int) {
  return LaunchesItself(spec, role) ? 1 : role.ranks;
}

// Ranks that a node's own launcher is to start.
int RanksOnNode(const Role& role) {
  return role.ranks > 1 ? role.ranks : std::max(1, role.devices.count);
}

// The processes that meet each other. Those that Muster starts and those that torchrun starts
// cannot be numbered together, so a job that mixes them has two worlds.
struct World {
  std::vector<int> ranks;       // rank of the job -> rank here
  std::vector<int> node_ranks;  // node of the attempt -> node here
  const NodeShare* first = nullptr;
  int size = 0, nodes = 0;

  explicit World(const JobFacts& facts)
      : ranks(facts.ranks.size(), -1), node_ranks(facts.allocation->nodes.size(), -1) {}
  void Add(const RankFacts& rank) {
    if (first == nullptr) first = rank.share;
    ranks[size_t(rank.rank)] = size++;
    int& node = node_ranks[size_t(rank.node)];
    if (node < 0) node = nodes++;
  }
};

void SetNumber(Pairs& env, const char* name, int value) {
  SetEnv(env, name, std::to_string(value));
}

void SetMeeting(const World& world, const RankFacts& rank, Pairs& env) {
  SetEnv(env, "MASTER_ADDR", world.first->address);
  SetNumber(env, "MASTER_PORT", world.first->ports.front());
  SetNumber(env, "NODE_RANK", world.node_ranks[size_t(rank.node)]);
  if (!IsLoopback(*rank.share)) return;
  for (const char* name : {"GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "TP_SOCKET_IFNAME"}) {
    SetEnvDefault(env, name, "lo");
  }
}

void SetRankVariables(const World& world, const RankFacts& rank, Pairs& env) {
  SetNumber(env, "RANK", world.ranks[size_t(rank.rank)]);
  SetNumber(env, "WORLD_SIZE", world.size);
  SetNumber(env, "LOCAL_RANK", rank.local_rank);
  SetNumber(env, "LOCAL_WORLD_SIZE", rank.local_world);
  SetNumber(env, "GROUP_RANK", world.node_ranks[size_t(rank.node)]);
  SetNumber(env, "GROUP_WORLD_SIZE", world.nodes);
  SetNumber(env, "ROLE_RANK", rank.role_rank);
  SetNumber(env, "ROLE_WORLD_SIZE", rank.role_world);
  SetEnv(env, "ROLE_NAME", rank.role);
}

// torchrun takes every option that its command line does not give from PET_<OPTION>.
void SetTorchrunVariables(const World& world, const RankFacts& rank, const NodeOrder& order,
                          Pairs& env) {
  SetNumber(env, "PET_NNODES", world.nodes);
  SetNumber(env, "PET_NODE_RANK", world.node_ranks[size_t(rank.node)]);
  SetNumber(env, "PET_NPROC_PER_NODE", RanksOnNode(*rank.spec_role));
  SetEnv(env, "PET_MASTER_ADDR", world.first->address);
  SetNumber(env, "PET_MASTER_PORT", world.first->ports.front());
  SetEnvDefault(env, "PET_ROLE", rank.role);
  // Its ranks share one output: copied line by line with a prefix, they do not cut into each
  // other. Under Python 3.11 the defaults of PyTorch 1.13 do not even parse.
  SetEnvDefault(env, "PET_REDIRECTS", "1");
  SetEnvDefault(env, "PET_TEE", "1");
  SetEnvDefault(env, "PET_LOG_DIR", order.dir + "/torchrun");
}

void RenderLauncher(const World& world, const RankFacts& rank, const NodeOrder& order, Pairs& env) {
  DropRankEnv(env);
  SetMeeting(world, rank, env);
  SetTorchrunVariables(world, rank, order, env);
  const Pairs& own = rank.spec_role->env;
  if (std::none_of(own.begin(), own.end(),
                   [](const auto& pair) { return pair.first == "OMP_NUM_THREADS"; })) {
    SetNumber(env, "OMP_NUM_THREADS", ThreadsFor(*rank.share, RanksOnNode(*rank.spec_role)));
  }
}

void RenderRank(const World& world, const RankFacts& rank, const NodeOrder& order, Pairs& env) {
  SetMeeting(world, rank, env);
  SetRankVariables(world, rank, env);
  // The one process of a node may be a script that calls torchrun inside.
  const Role& role = *rank.spec_role;
  if (role.ranks == 1 && role.devices.count > 1) SetTorchrunVariables(world, rank, order, env);
}

Status Apply(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  World ranks(facts), launchers(facts);
  std::vector<bool> launches;  // by role
  for (const Role& role : facts.spec->roles) launches.push_back(LaunchesItself(*facts.spec, role));
  const auto is_launcher = [&](const RankFacts& rank) {
    return bool(launches[size_t(rank.spec_role - facts.spec->roles.data())]);
  };
  for (const RankFacts& rank : facts.ranks) (is_launcher(rank) ? launchers : ranks).Add(rank);
  for (NodeOrder& order : orders) {
    for (RankOrder& process : order.ranks) {
      const RankFacts& rank = facts.ranks[size_t(process.rank)];
      if (is_launcher(rank)) {
        RenderLauncher(launchers, rank, order, process.env);
      } else {
        RenderRank(ranks, rank, order, process.env);
      }
    }
  }
  return {};
}

}  // namespace

const Framework kPytorch{
    .name = "pytorch",
    .summary = "PyTorch: env:// variables for every rank, or torchrun once a node",
    .ports_per_node = 1,
    .processes = Processes,
    .apply = Apply,
};

}  // namespace muster::dialect
