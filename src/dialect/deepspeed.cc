#include <array>

#include <fmt/format.h>

#include "dialect/command.h"
#include "dialect/environment.h"
#include "dialect/framework.h"
#include "dialect/hostfile.h"
#include "dialect/plan.h"
#include "dialect/torch_env.h"
#include "dialect/words.h"

namespace muster::dialect {

namespace {

// DeepSpeed uses the rendezvous of PyTorch with three more variables. Its launcher can start the
// ranks of one node only, which needs no ssh.

constexpr std::array<std::string_view, 3> kLaunchers{"deepspeed", "deepspeed.launcher.runner",
                                                     "deepspeed.pt"};

bool CallsLauncher(const JobSpec& spec, const Role& role) {
  if (spec.launch.start != "auto") return spec.launch.start == "deepspeed";
  const auto argv = BuildCommand(spec, role, Places{});
  return argv && RunsProgram(*argv, kLaunchers);
}

int Processes(const JobSpec& spec, const Role& role, int) {
  return CallsLauncher(spec, role) ? 1 : role.ranks;
}

// deepspeed --hostfile F --no_ssh --node_rank K --master_addr A --master_port P SCRIPT
void CompleteLauncher(const JobFacts& facts, const RankFacts& rank, const std::string& hostfile,
                      std::vector<std::string>& argv) {
  if (IsShellText(argv)) return;  // shell text reads the variables
  if (!RunsProgram(argv, kLaunchers)) {
    if (argv.front() == facts.spec->python && argv.size() > 1) argv.erase(argv.begin());
    argv.insert(argv.begin(), "deepspeed");
  }
  const NodeShare& first = facts.first();
  std::vector<std::string> flags;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!HasFlag(argv, name)) flags.push_back(fmt::format("--{}={}", name, value));
  };
  add("hostfile", hostfile);
  if (!HasFlag(argv, "no_ssh")) flags.emplace_back("--no_ssh");
  add("node_rank", std::to_string(rank.node));
  add("master_addr", first.address);
  add("master_port", std::to_string(first.ports.front()));
  argv.insert(argv.begin() + 1, flags.begin(), flags.end());
}

Status Apply(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  World world(facts);
  for (const RankFacts& rank : facts.ranks) {
    if (!rank.role->service) world.Add(rank);
  }
  const bool launcher = CallsLauncher(*facts.spec, facts.spec->roles.front());
  const Shared<std::string> hosts = SlotLines(facts, orders);
  EachRank(facts, orders, [&](const RankFacts& rank, NodeOrder& order, RankOrder& process) {
    if (rank.role->service) return;
    const std::string hostfile = order.dir + "/hostfile";
    if (rank.local_rank == 0) {
      SetMeetingDefaults(*facts.spec, *rank.share, order.env);
      SetMeeting(world, rank, order);
      order.files.push_back({hostfile, hosts});
      SetEnv(order.env, "MUSTER_HOSTFILE", hostfile);
    }
    if (launcher) {
      DropRankEnv(process.env);
      return CompleteLauncher(facts, rank, hostfile, process.argv);
    }
    SetRankVariables(world, rank, process.env);
    SetEnv(process.env, "LOCAL_SIZE", rank.local_world);
    SetEnv(process.env, "CROSS_RANK", world.node_ranks[size_t(rank.node)]);
    SetEnv(process.env, "CROSS_SIZE", world.nodes);
  });
  return {};
}

}  // namespace

const Framework kDeepspeed{
    .name = "deepspeed",
    .summary = "DeepSpeed: variables for every rank, or its launcher once a node without ssh",
    .ports = OnePort,
    .processes = Processes,
    .apply = Apply,
};

}  // namespace muster::dialect
