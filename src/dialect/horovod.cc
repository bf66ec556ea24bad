#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dialect/command.h"
#include "dialect/environment.h"
#include "dialect/framework.h"
#include "dialect/hostfile.h"
#include "dialect/mpi_env.h"
#include "dialect/mpirun.h"
#include "dialect/plan.h"
#include "dialect/torch_env.h"
#include "dialect/words.h"

namespace muster::dialect {

namespace {

// Horovod's ranks use gloo with a key-value server in the first node's launcher, so neither
// horovodrun nor ssh is needed. A job that calls horovodrun or mpirun gets hosts and an ssh
// replacement instead.

constexpr std::array<std::string_view, 1> kHorovodrun{"horovodrun"};
// Horovod's default of 30 is too short for nodes that start at different times.
constexpr int64_t kTimeoutSeconds = 300;

int64_t TimeoutSeconds(const JobSpec& spec) {
  return spec.launch.timeout_ms.value_or(kTimeoutSeconds * 1000) / 1000;
}

enum class Way { kEnv, kHorovodrun, kMpirun };

Way ChooseWay(const JobSpec& spec) {
  if (spec.launch.start == "env") return Way::kEnv;
  if (spec.launch.start == "horovodrun") return Way::kHorovodrun;
  if (spec.launch.start == "mpirun") return Way::kMpirun;
  const auto argv = BuildCommand(spec, spec.roles.front(), Places{});
  if (argv && RunsProgram(*argv, kHorovodrun)) return Way::kHorovodrun;
  return argv && CallsMpirun(*argv) ? Way::kMpirun : Way::kEnv;
}

int Processes(const JobSpec& spec, const Role& role, int role_node) {
  return ChooseWay(spec) == Way::kEnv ? role.ranks : MpirunProcesses(spec, role, role_node);
}

// The number of hosts with a rank of this local number, and the index of each host among them.
struct Cross {
  std::vector<int> sizes;                // by local rank
  std::vector<std::vector<int>> places;  // by node, by local rank

  explicit Cross(const JobFacts& facts) : places(facts.allocation->nodes.size()) {
    for (const RankFacts& rank : facts.ranks) {
      if (rank.role->service) continue;
      const size_t local = size_t(rank.local_rank);
      if (sizes.size() <= local) sizes.resize(local + 1, 0);
      places[size_t(rank.node)].push_back(sizes[local]++);
    }
  }
};

void SetInterface(const JobFacts& facts, const NodeShare& share, NodeOrder& order) {
  SetMeetingDefaults(*facts.spec, share, order.env);
  const std::string interface = Interface(*facts.spec, share);
  if (!interface.empty()) SetEnvDefault(order.env, "HOROVOD_GLOO_IFACE", interface);
}

Status ApplyEnv(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  World world(facts);
  for (const RankFacts& rank : facts.ranks) {
    if (!rank.role->service) world.Add(rank);
  }
  const NodeShare& first = *world.first;
  for (NodeOrder& order : orders) {
    SetInterface(facts, facts.allocation->nodes[size_t(order.node)], order);
    order.rendezvous = Rendezvous{
        .address = first.address, .port = first.ports.front(), .serve = order.node == first.index};
    SetEnv(order.env, "HOROVOD_CONTROLLER", "gloo");
    SetEnv(order.env, "HOROVOD_CPU_OPERATIONS", "gloo");
    SetEnv(order.env, "HOROVOD_GLOO_RENDEZVOUS_ADDR", first.address);
    SetEnv(order.env, "HOROVOD_GLOO_RENDEZVOUS_PORT", first.ports.front());
    SetEnvDefault(order.env, "HOROVOD_GLOO_TIMEOUT_SECONDS", TimeoutSeconds(*facts.spec));
    SetEnv(order.env, "HOROVOD_HOSTNAME", order.hostname);
  }
  const Cross cross(facts);
  EachRank(facts, orders, [&](const RankFacts& rank, NodeOrder&, RankOrder& process) {
    if (rank.role->service) return;
    const auto number = [&](const char* name, int value) {
      process.env.emplace_back(name, std::to_string(value));
    };
    number("HOROVOD_RANK", world.ranks[size_t(rank.rank)]);
    number("HOROVOD_SIZE", world.size);
    number("HOROVOD_LOCAL_RANK", rank.local_rank);
    number("HOROVOD_LOCAL_SIZE", rank.local_world);
    number("HOROVOD_CROSS_RANK", cross.places[size_t(rank.node)][size_t(rank.local_rank)]);
    number("HOROVOD_CROSS_SIZE", cross.sizes[size_t(rank.local_rank)]);
  });
  return {};
}

bool NamesHosts(const std::vector<std::string>& argv) {
  const auto names = [](const std::string& word) {
    return word == "-H" || word == "-hostfile" || IsFlag(word, "hosts") ||
           IsFlag(word, "hostfile") || IsFlag(word, "host-discovery-script");
  };
  return std::ranges::any_of(argv, names);
}

bool NamesCount(const std::vector<std::string>& argv) {
  return HasFlag(argv, "num-proc") || HasFlag(argv, "min-np") ||
         std::ranges::find(argv, "-np") != argv.end();
}

// Completes horovodrun -np 16 --hostfile F [--network-interface I] COMMAND; keeps flags of the
// user.
void CompleteHorovodrun(const JobFacts& facts, const NodeOrder& head,
                        std::vector<std::string>& argv) {
  if (IsShellText(argv)) return;
  if (!RunsProgram(argv, kHorovodrun)) argv.insert(argv.begin(), "horovodrun");
  std::vector<std::string> flags;
  if (!NamesCount(argv)) {
    int slots = 0;
    for (const Role& role : facts.spec->roles) slots += role.service ? 0 : role.nodes * role.ranks;
    flags.insert(flags.end(), {"-np", std::to_string(slots)});
  }
  if (!NamesHosts(argv)) flags.insert(flags.end(), {"--hostfile", head.dir + "/hostfile"});
  const std::string interface = Interface(*facts.spec, facts.first());
  if (!interface.empty() && !HasFlag(argv, "network-interface") &&
      !HasFlag(argv, "network-interfaces")) {
    flags.insert(flags.end(), {"--network-interface", interface});
  }
  argv.insert(argv.begin() + 1, flags.begin(), flags.end());
}

Status ApplyHorovodrun(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  const auto head = std::ranges::find_if(orders, [](const NodeOrder& order) {
    return std::ranges::any_of(order.ranks, [](const RankOrder& rank) { return !rank.service; });
  });
  if (head == orders.end()) {
    return Fail(Code::kInvalid, "every role of this horovod job is a service",
                "leave `service` out for the role that trains");
  }
  RankOrder& process = head->ranks.front();
  DropRankEnv(process.env);
  head->files.push_back({head->dir + "/hostfile", SlotLines(facts, orders)});
  head->files.push_back({head->dir + "/discover_hosts.sh", DiscoveryScript(facts, orders), 0755});
  for (const char* name : {"HOROVOD_START_TIMEOUT", "HOROVOD_GLOO_TIMEOUT_SECONDS"}) {
    SetEnvDefault(head->env, name, TimeoutSeconds(*facts.spec));
  }
  SetEnv(head->env, "MUSTER_HOSTFILE", head->dir + "/hostfile");
  SetEnv(head->env, "MUSTER_HOST_DISCOVERY", head->dir + "/discover_hosts.sh");
  for (NodeOrder& order : orders) {
    SetInterface(facts, facts.allocation->nodes[size_t(order.node)], order);
    SetRootEnv(order.env);
    order.agent = true;
  }
  // A Horovod built with MPI calls mpirun instead of ssh.
  MpiFiles files{.slots = head->dir + "/hostfile", .hydra = head->dir + "/hostfile.hydra"};
  head->files.push_back({files.hydra, HydraLines(facts, orders)});
  files.ssh = WriteSsh(facts, *head);
  SetMpirunEnv(facts, files, *head, process);
  CompleteHorovodrun(facts, *head, process.argv);
  ShadowSsh(facts, *head, process);
  return {};
}

Status Apply(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  switch (ChooseWay(*facts.spec)) {
    case Way::kHorovodrun:
      return ApplyHorovodrun(facts, orders);
    case Way::kMpirun:
      return ApplyMpirun(facts, orders);
    case Way::kEnv:
      break;
  }
  return ApplyEnv(facts, orders);
}

}  // namespace

const Framework kHorovod{
    .name = "horovod",
    .summary = "Horovod: ranks that meet without ssh, or horovodrun and mpirun inside the job",
    .ports = OnePort,
    .processes = Processes,
    .apply = Apply,
};

}  // namespace muster::dialect
