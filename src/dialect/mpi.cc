#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/command.h"
#include "dialect/environment.h"
#include "dialect/framework.h"
#include "dialect/plan.h"

namespace muster::dialect {

namespace {

// Open MPI 4: one mpirun on the first working node starts all ranks. Where it would call ssh it
// calls `muster agent HOST …`, which hands the command to the launcher of that node. Service roles
// stay outside of the MPI world and are started as they are.

constexpr std::array<std::string_view, 5> kLaunchers{"mpirun", "mpiexec", "orterun",
                                                     "mpirun.openmpi", "mpiexec.openmpi"};
constexpr int kConcurrentLogins = 128;  // Open MPI's own default

const Role* FirstWorking(const JobSpec& spec) {
  for (const Role& role : spec.roles) {
    if (!role.service) return &role;
  }
  return nullptr;
}

int Processes(const JobSpec& spec, const Role& role, int role_node) {
  if (role.service) return role.ranks;
  return &role == FirstWorking(spec) && role_node == 0 ? 1 : 0;
}

Status Check(const JobFacts& facts, bool own_launcher) {
  const JobSpec& spec = *facts.spec;
  if (FirstWorking(spec) == nullptr) {
    return Fail(Code::kInvalid, "every role of this mpi job is a service",
                "leave `service` out for the role that trains");
  }
  if (spec.workdir == "rank") {
    return Fail(Code::kInvalid,
                "mpirun starts the ranks of an mpi job, none has a folder of its own",
                "use workdir: node");
  }
  const std::string& muster = facts.places->muster;
  if (muster.empty() || muster.find_first_of(" \t\n:") != std::string::npos) {
    return Fail(Code::kInvalid,
                fmt::format("mpirun cannot call \"{}\": it takes blanks and colons in a path apart",
                            Printable(muster)),
                "install the executable under a path without them");
  }
  const auto working = std::count_if(spec.roles.begin(), spec.roles.end(),
                                     [](const Role& role) { return !role.service; });
  if (own_launcher && working > 1) {
    return Fail(Code::kInvalid, "a command that calls mpirun itself cannot start several roles",
                "give each role its plain command");
  }
  return {};
}

bool ShareAMachine(const Allocation& allocation) {
  std::vector<std::string> names;
  for (const NodeShare& share : allocation.nodes) names.push_back(share.node);
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) != names.end();
}

void SetRootEnv(Pairs& env) {
  SetEnv(env, "OMPI_ALLOW_RUN_AS_ROOT", "1");
  SetEnv(env, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
}

void SetMpirunEnv(const JobFacts& facts, const std::string& hostfile, Pairs& env) {
  const auto& nodes = facts.allocation->nodes;
  SetRootEnv(env);
  SetEnv(env, "OMPI_MCA_plm_rsh_agent", facts.places->muster + " agent");
  SetEnv(env, "OMPI_MCA_orte_default_hostfile", hostfile);
  SetEnv(env, "OMPI_MCA_orte_keep_fqdn_hostnames", "true");
  // Every daemon stays a child of its node's agent, and the agent's call lasts as long as it does.
  SetEnv(env, "OMPI_MCA_orte_leave_session_attached", "1");
  SetEnv(env, "OMPI_MCA_plm_rsh_no_tree_spawn", "1");
  if (int(nodes.size()) >= kConcurrentLogins) {
    SetEnv(env, "OMPI_MCA_plm_rsh_num_concurrent", std::to_string(nodes.size() + 1));
  }
  // Two jobs on a machine would both bind to its first cores.
  SetEnvDefault(env, "OMPI_MCA_hwloc_base_binding_policy", "none");
  if (std::any_of(nodes.begin(), nodes.end(), IsLoopback)) {
    SetEnvDefault(env, "OMPI_MCA_oob_tcp_if_include", "lo");
    SetEnvDefault(env, "OMPI_MCA_btl_tcp_if_include", "lo");
  }
  const bool crowded = ShareAMachine(*facts.allocation) ||
                       std::any_of(nodes.begin(), nodes.end(),
                                   [](const NodeShare& share) { return share.is_virtual; });
  if (crowded) {
    // Nodes that are one machine may have one host name, and then collide in shared memory.
    SetEnvDefault(env, "OMPI_MCA_btl", "self,tcp");
    SetEnvDefault(env, "OMPI_MCA_mpi_yield_when_idle", "1");
  }
}

std::string HostLines(const JobFacts& facts, const std::vector<NodeOrder>& orders,
                      const Role* only) {
  std::string lines;
  for (const NodeOrder& order : orders) {
    const Role* role = facts.role_of_node[size_t(order.node)];
    if (role->service || (only != nullptr && role != only)) continue;
    lines += fmt::format("{} slots={}\n", order.hostname, role->ranks);
  }
  return lines;
}

// mpirun takes its own folder for that of all ranks; each is to work in its node's.
std::vector<std::string> InNodeFolder(const std::vector<std::string>& argv) {
  return {"/bin/sh", "-c", "cd \"$MUSTER_WORK_DIR\" && exec " + ShellJoin(argv)};
}

// mpirun --hostfile F -np 16 COMMAND, with ": …" for each further role.
Result<std::vector<std::string>> MpirunWords(const JobFacts& facts,
                                             const std::vector<NodeOrder>& orders,
                                             NodeOrder& head) {
  std::vector<std::string> argv{"mpirun"};
  for (const Role& role : facts.spec->roles) {
    if (role.service) continue;
    const bool first = argv.size() == 1;
    if (!first) argv.emplace_back(":");
    const std::string hostfile = fmt::format("{}/hostfile.{}", head.dir, role.name);
    head.files.push_back({hostfile, HostLines(facts, orders, &role)});
    MUSTER_ASSIGN(const std::vector<std::string> command,
                  BuildCommand(*facts.spec, role, *facts.places));
    for (const std::string& word : {std::string("--hostfile"), hostfile, std::string("-np"),
                                    std::to_string(int64_t(role.nodes) * role.ranks)}) {
      argv.push_back(word);
    }
    for (std::string& word : InNodeFolder(command)) argv.push_back(std::move(word));
  }
  return argv;
}

Status Apply(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  const auto is_head = [](const RankOrder& rank) { return !rank.service; };
  const auto head = std::find_if(orders.begin(), orders.end(), [&](const NodeOrder& order) {
    return std::any_of(order.ranks.begin(), order.ranks.end(), is_head);
  });
  const bool own_launcher =
      head != orders.end() && RunsProgram(head->ranks.front().argv, kLaunchers);
  MUSTER_TRY(Check(facts, own_launcher));

  RankOrder& mpirun = head->ranks.front();
  const std::string hostfile = head->dir + "/hostfile";
  head->files.push_back({hostfile, HostLines(facts, orders, nullptr)});
  if (!own_launcher) {
    MUSTER_ASSIGN(mpirun.argv, MpirunWords(facts, orders, *head));
  }
  DropRankEnv(mpirun.env);
  SetMpirunEnv(facts, hostfile, mpirun.env);
  for (NodeOrder& order : orders) {
    if (facts.role_of_node[size_t(order.node)]->service) continue;
    order.agent = true;
    SetRootEnv(order.hook_env);
  }
  return {};
}

}  // namespace

const Framework kMpi{
    .name = "mpi",
    .summary = "Open MPI 4: one mpirun starts all ranks, the launchers stand in for ssh",
    .ports_per_node = 0,
    .processes = Processes,
    .apply = Apply,
};

}  // namespace muster::dialect
