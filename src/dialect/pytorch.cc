#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dialect/command.h"
#include "dialect/environment.h"
#include "dialect/framework.h"
#include "dialect/plan.h"
#include "dialect/torch_env.h"

namespace muster::dialect {

namespace {

// PyTorch's rendezvous uses four variables (env://), so Muster starts every rank. Two other kinds
// of job have a launcher, one process per node, and get the variables of torchrun.
constexpr std::array<std::string_view, 3> kNodeLaunchers{"torchrun", "torch.distributed.run",
                                                         "torch.distributed.launch"};

// Rank 0 serves the rendezvous. A rank that connects too early waits a second before it retries, so
// ranks start a tenth of a second later.
constexpr int64_t kHeadStartMs = 100;

bool CallsTorchrun(const JobSpec& spec, const Role& role) {
  const auto argv = BuildCommand(spec, role, Places{});
  return argv && RunsProgram(*argv, kNodeLaunchers);
}

// A single process with several accelerators uses them all; a single process with several cpu slots
// uses threads.
bool SpreadsItself(const Role& role) {
  return role.ranks == 1 && role.devices.count > 1 && role.devices.kind != "cpu";
}

bool LaunchesItself(const JobSpec& spec, const Role& role) {
  if (spec.launch.start == "env") return false;
  return spec.launch.start == "torchrun" || SpreadsItself(role) || CallsTorchrun(spec, role);
}

int Processes(const JobSpec& spec, const Role& role, int) {
  return LaunchesItself(spec, role) ? 1 : role.ranks;
}

// Ranks that a node's launcher starts.
int RanksOnNode(const Role& role) {
  return role.ranks > 1 ? role.ranks : std::max(1, role.devices.count);
}

// torchrun reads options that are missing on its command line from PET_<OPTION>.
void SetTorchrunVariables(const JobFacts& facts, const World& world, const RankFacts& rank,
                          NodeOrder& order) {
  Pairs& env = order.env;
  const std::string& address = world.first->address;
  const int port = world.first->ports.front();
  SetEnv(env, "PET_NNODES", world.nodes);
  SetEnv(env, "PET_NODE_RANK", world.node_ranks[size_t(rank.node)]);
  SetEnv(env, "PET_NPROC_PER_NODE", RanksOnNode(*rank.role));
  SetEnv(env, "PET_MASTER_ADDR", address);
  SetEnv(env, "PET_MASTER_PORT", port);
  // Read with --rdzv-backend=c10d; the static backend derives it from the two above.
  SetEnv(env, "PET_RDZV_ENDPOINT", Endpoint(address, port));
  SetEnv(env, "PET_RDZV_ID", fmt::format("muster-{}-{}", facts.places->job, facts.places->attempt));
  SetEnv(env, "PET_LOCAL_ADDR", rank.share->address);
  SetEnvDefault(env, "PET_ROLE", rank.role->name);
  // Before 2.3 the default was five seconds.
  SetEnvDefault(env, "PET_MONITOR_INTERVAL", std::string("0.1"));
  // Its ranks share one output: copied line by line with a prefix, lines are not mixed. Under
  // Python 3.11 the defaults of PyTorch 1.13 cannot be parsed.
  SetEnvDefault(env, "PET_REDIRECTS", "1");
  SetEnvDefault(env, "PET_TEE", "1");
  SetEnvDefault(env, "PET_LOG_DIR", order.dir + "/torchrun");
}

// Wraps a plain command in torchrun on request of the job.
void WrapInTorchrun(const JobSpec& spec, std::vector<std::string>& argv) {
  if (spec.launch.start != "torchrun" || RunsProgram(argv, kNodeLaunchers)) return;
  const bool script = argv.size() > 1 && argv[0] == spec.python && !argv[1].starts_with("-");
  if (script) {
    argv[0] = "torchrun";
  } else {
    argv.insert(argv.begin(), {"torchrun", "--no-python"});
  }
}

void RenderLauncher(const JobFacts& facts, const World& world, const RankFacts& rank,
                    NodeOrder& order, RankOrder& process) {
  DropRankEnv(process.env);
  SetMeeting(world, rank, order);
  SetTorchrunVariables(facts, world, rank, order);
  WrapInTorchrun(*facts.spec, process.argv);
  const Pairs& own = rank.role->env;
  if (std::none_of(own.begin(), own.end(),
                   [](const auto& pair) { return pair.first == "OMP_NUM_THREADS"; })) {
    SetEnv(order.env, "OMP_NUM_THREADS", ThreadsFor(*rank.share, RanksOnNode(*rank.role)));
  }
}

void RenderRank(const JobFacts& facts, const World& world, const RankFacts& rank, NodeOrder& order,
                RankOrder& process) {
  if (rank.local_rank == 0) SetMeeting(world, rank, order);
  SetRankVariables(world, rank, process.env);
  // The single process of a node may be a script that calls torchrun.
  const Role& role = *rank.role;
  if (role.ranks == 1 && role.devices.count > 1) SetTorchrunVariables(facts, world, rank, order);
}

Status Apply(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  World ranks(facts), launchers(facts);
  std::vector<bool> launches;  // by role
  for (const Role& role : facts.spec->roles) launches.push_back(LaunchesItself(*facts.spec, role));
  const auto is_launcher = [&](const RankFacts& rank) {
    return bool(launches[size_t(rank.role - facts.spec->roles.data())]);
  };
  for (const RankFacts& rank : facts.ranks) (is_launcher(rank) ? launchers : ranks).Add(rank);
  for (NodeOrder& order : orders) {
    SetMeetingDefaults(*facts.spec, facts.allocation->nodes[size_t(order.node)], order.env);
  }
  EachRank(facts, orders, [&](const RankFacts& rank, NodeOrder& order, RankOrder& process) {
    if (is_launcher(rank)) {
      RenderLauncher(facts, launchers, rank, order, process);
    } else {
      RenderRank(facts, ranks, rank, order, process);
    }
  });
  if (ranks.first != nullptr && orders[size_t(ranks.first->index)].ranks.size() > 1) {
    orders[size_t(ranks.first->index)].head_start_ms = kHeadStartMs;
  }
  return {};
}

}  // namespace

const Framework kPytorch{
    .name = "pytorch",
    .summary = "PyTorch: env:// variables for every rank, or torchrun once a node",
    .ports = OnePort,
    .processes = Processes,
    .apply = Apply,
};

}  // namespace muster::dialect
