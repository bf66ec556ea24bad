#include "dialect/modelarts.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/boot_file.h"
#include "dialect/command.h"
#include "dialect/environment.h"
#include "dialect/paddle_servers.h"
#include "dialect/plan.h"

namespace muster::dialect {

namespace {

// Frameworks whose ranks Muster starts; the others have launchers.
constexpr std::array<std::string_view, 6> kPlainFrameworks{"custom", "pytorch",    "mindspore",
                                                           "paddle", "tensorflow", "jax"};
// Frameworks that the platform starts once per node, except on NPUs.
constexpr std::array<std::string_view, 2> kOnceANode{"custom", "pytorch"};

bool IsOneOf(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool AsManyAsDevices(const Role& role) { return role.ranks == role.devices.count; }

bool IsPlainCommand(const JobSpec& spec, const Role& role) {
  return !BootFile(role.run) && !CallsLauncher(spec, role);
}

// Whether every role of a Paddle job is a command, such as a shell script that calls Paddle's
// launcher. Parameter servers are started one by one.
bool IsPaddleCommand(const JobSpec& spec) {
  if (spec.framework != "paddle" || HasPaddleServers(spec)) return false;
  return std::ranges::all_of(spec.roles,
                             [&](const Role& role) { return IsPlainCommand(spec, role); });
}

// A command is started once a node and gets the platform's variables alone; those of single ranks
// would be wrong for the processes that it starts. A Paddle command gets the variables of Paddle's
// launcher too: the launcher of a current Paddle reads nothing else.
void SettleProcesses(JobSpec& spec) {
  if (spec.launch.start != Launch{}.start || !IsOneOf(spec.framework, kPlainFrameworks)) return;
  if (IsPaddleCommand(spec)) {
    spec.launch.start = "launch";
    return;
  }
  const bool once = IsOneOf(spec.framework, kOnceANode);
  bool commands = true;
  for (Role& role : spec.roles) {
    const bool command = IsPlainCommand(spec, role);
    commands = commands && command;
    const bool boot = BootFile(role.run).has_value();
    if (AsManyAsDevices(role) && (command || (boot && once && role.devices.kind != "npu"))) {
      role.ranks = 1;
    }
  }
  if (commands) {
    spec.framework = "custom";
  } else if (spec.framework == "mindspore" && spec.roles.front().devices.kind == "npu" &&
             spec.TotalRanks() > 1 && !CallsLauncher(spec, spec.roles.front())) {
    spec.launch.start = "rank_table";
  }
}

// A variable of the user selects the launcher of a boot file.
void TakeRunMethod(JobSpec& spec) {
  const Role& role = spec.roles.front();
  if (spec.launch.start != Launch{}.start || !BootFile(role.run)) return;
  const auto method =
      std::ranges::find(role.env, "MA_RUN_METHOD", [](const auto& pair) { return pair.first; });
  if (method == role.env.end()) return;
  const auto choose = [&](std::string_view launcher, std::string_view framework) {
    if (method->second != launcher) return;
    if (spec.framework != framework && spec.framework != "custom") return;
    spec.framework = framework;
    spec.launch.start = launcher;
  };
  choose("torchrun", "pytorch");
  choose("msrun", "mindspore");
}

bool IsVariable(std::string_view name) {
  return !name.empty() && !(name.front() >= '0' && name.front() <= '9') &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

// Images of the first generation append nothing to their command: parameters become variables.
void MoveParameters(Role& role) {
  for (const auto& [name, value] : role.parameters) {
    if (IsVariable(name) && !name.starts_with("MUSTER_")) SetEnvDefault(role.env, name, value);
  }
  role.parameters.clear();
}

JobSpec Inside(const JobSpec& spec) {
  const MaLayout layout = LayoutOf(spec);
  JobSpec inside = spec;
  TakeRunMethod(inside);
  SettleProcesses(inside);
  for (Role& role : inside.roles) {
    if (!layout.v2 && !BootFile(role.run)) MoveParameters(role);
    role.run = WithBootFile(role.run, spec.python, [&](const std::string& file) {
      if (file.starts_with('/')) return file;
      return layout.code + "/" + (file.starts_with("./") ? file.substr(2) : file);
    });
  }
  for (size_t i = 0; layout.v2 && i < spec.inputs.size(); ++i) {
    inside.inputs[i].second = MaInput(layout, spec, i);
  }
  for (size_t i = 0; layout.v2 && i < spec.outputs.size(); ++i) {
    inside.outputs[i].second = MaOutput(layout, spec, i);
  }
  const bool boots = std::ranges::any_of(
      spec.roles, [](const Role& role) { return BootFile(role.run).has_value(); });
  if (!layout.v2 && !boots) {
    inside.inputs.clear();
    inside.outputs.clear();
  }
  return inside;
}

// Parameter servers and workers receive the addresses on their command lines.
struct Tasks {
  std::string servers, workers;

  explicit Tasks(const JobFacts& facts) {
    if (facts.spec->framework != "tensorflow" || facts.ranks.size() > kMostPeers) return;
    for (const RankFacts& rank : facts.ranks) {
      const bool serves = rank.role->name == "ps";
      if (!serves && rank.role->name != "worker") continue;
      std::string& list = serves ? servers : workers;
      list += (list.empty() ? "" : ",") +
              Endpoint(rank.share->address, rank.share->ports[size_t(rank.local_rank)]);
    }
  }
};

void AddTasks(const Tasks& tasks, const MaLayout& layout, const RankFacts& rank,
              RankOrder& process) {
  if (tasks.servers.empty() || !BootFile(rank.role->run)) return;
  process.argv.push_back(
      fmt::format("--{}={}", layout.v2 ? "task_name" : "job_name", rank.role->name));
  process.argv.push_back(fmt::format("--task_index={}", rank.role_rank));
  process.argv.push_back("--ps_hosts=" + tasks.servers);
  process.argv.push_back("--worker_hosts=" + tasks.workers);
}

// The second generation passes the rendezvous address to scripts on several nodes.
void AddMeeting(const PlatformJob& job, const RankFacts& rank, RankOrder& process) {
  const JobFacts& facts = *job.facts;
  if (facts.spec->framework != "pytorch" || facts.spec->launch.start == "torchrun") return;
  if (rank.local_world != 1 || rank.nodes == 1) return;
  if (rank.share->kind == "npu" || !BootFile(rank.role->run)) return;
  process.argv.push_back(
      fmt::format("--init_method=tcp://{}",
                  Endpoint(fmt::format("{}.{}", MaInstance(facts, 0), MaJobName(facts.places->job)),
                           facts.first().ports.front())));
  process.argv.push_back(fmt::format("--rank={}", rank.node));
  process.argv.push_back(fmt::format("--world_size={}", rank.nodes));
}

// One port per card after BATCH_CURRENT_PORT, from which launchers count up.
int PortsOfCards(const JobSpec& spec) {
  int most = 1;
  for (const Role& role : spec.roles) most = std::max({most, role.ranks, role.devices.count});
  return most;
}

Status Apply(const PlatformJob& job, std::vector<NodeOrder>& orders) {
  const JobFacts& facts = *job.facts;
  const MaLayout layout = LayoutOf(*job.outside);
  const MaNames names = NamesOf(facts);
  const Tasks tasks(facts);
  for (NodeOrder& order : orders) {
    order.platform = job.outside->platform;
    order.aliases = names.aliases;
    SetMaVariables(job, layout, names, order);
    const Role& role = *facts.role_of_node[size_t(order.node)];
    if (const auto file = BootFile(role.run)) order.boot_file = *file;
    AddSudo(order);
    order.pre_start = MaPreStart(job, layout, order);
    if (layout.v2) {
      order.files.insert(order.files.end(), names.files.begin(), names.files.end());
    } else {
      for (OrderFile& file : MaImageFiles(layout)) order.files.push_back(std::move(file));
    }
  }
  EachRank(facts, orders, [&](const RankFacts& rank, NodeOrder& order, RankOrder& process) {
    if (layout.v2) AddMeeting(job, rank, process);
    AddTasks(tasks, layout, rank, process);
    if (BootFile(rank.role->run)) SetMaCard(layout, rank, order, process);
  });
  if (HasNpus(facts)) MUSTER_TRY(AddMaTables(job, layout, orders));
  for (NodeOrder& order : orders) {
    order.view = MaView(job, layout, order);
    if (order.taken_over.empty()) continue;
    // Ranks also write into their home and, as their current folder, into the workspace.
    order.taken_over.push_back(order.dir + "/home");
    if (layout.v2) order.taken_over.push_back(order.dir + "/workspace");
  }
  return {};
}

}  // namespace

const Platform kModelarts{
    .name = "modelarts", .common_ports = PortsOfCards, .inside = Inside, .apply = Apply};
const Platform kModelartsV1{
    .name = "modelarts-v1", .common_ports = PortsOfCards, .inside = Inside, .apply = Apply};

}  // namespace muster::dialect
