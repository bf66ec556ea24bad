#include "dialect/mpirun.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/command.h"
#include "dialect/environment.h"
#include "dialect/hostfile.h"
#include "dialect/mpi_env.h"
#include "dialect/plan.h"

namespace muster::dialect {

namespace {

constexpr std::array<std::string_view, 8> kLaunchers{
    "mpirun",          "mpiexec",      "orterun",       "mpirun.openmpi",
    "mpiexec.openmpi", "mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra"};

const Role* FirstWorking(const JobSpec& spec) {
  for (const Role& role : spec.roles) {
    if (!role.service) return &role;
  }
  return nullptr;
}

Status Check(const JobFacts& facts, bool own_launcher) {
  const JobSpec& spec = *facts.spec;
  if (FirstWorking(spec) == nullptr) {
    return Fail(Code::kInvalid,
                fmt::format("every role of this {} job is a service", spec.framework),
                "leave `service` out for the role that trains");
  }
  if (spec.workdir == "rank") {
    return Fail(Code::kInvalid,
                fmt::format("mpirun starts the ranks of this {} job, none has a folder of its own",
                            spec.framework),
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

// mpirun uses its own folder for all ranks; each rank must use that of its node.
std::vector<std::string> InNodeFolder(const std::vector<std::string>& argv) {
  return {"/bin/sh", "-c", "cd \"$MUSTER_WORK_DIR\" && exec " + ShellJoin(argv)};
}

// mpirun --hostfile F -np 16 COMMAND, with ": …" for each further role. Hydra expects all hosts
// first and fills them in order.
Result<std::vector<std::string>> MpirunWords(const JobFacts& facts,
                                             const std::vector<NodeOrder>& orders,
                                             NodeOrder& head) {
  const bool mpich = facts.spec->launch.start == "mpich";
  std::vector<std::string> argv{mpich ? "mpiexec.hydra" : "mpirun"};
  bool first = true;
  for (const Role& role : facts.spec->roles) {
    if (role.service) continue;
    if (!std::exchange(first, false)) argv.emplace_back(":");
    if (!mpich) {
      const std::string hostfile = fmt::format("{}/hostfile.{}", head.dir, role.name);
      head.files.push_back({hostfile, SlotLines(facts, orders, &role)});
      argv.insert(argv.end(), {"--hostfile", hostfile});
    }
    argv.insert(argv.end(),
                {mpich ? "-n" : "-np", std::to_string(int64_t(role.nodes) * role.ranks)});
    MUSTER_ASSIGN(const std::vector<std::string> command,
                  BuildCommand(*facts.spec, role, *facts.places));
    for (std::string& word : InNodeFolder(command)) argv.push_back(std::move(word));
  }
  return argv;
}

}  // namespace

bool CallsMpirun(const std::vector<std::string>& argv) { return RunsProgram(argv, kLaunchers); }

int MpirunProcesses(const JobSpec& spec, const Role& role, int role_node) {
  if (role.service) return role.ranks;
  return &role == FirstWorking(spec) && role_node == 0 ? 1 : 0;
}

std::string WriteSsh(const JobFacts& facts, NodeOrder& order) {
  const std::string path = order.dir + "/bin/ssh";
  if (std::ranges::find(order.files, path, &OrderFile::path) != order.files.end()) return path;
  // A login begins in the home; daemons of mpirun and ranks are told their folders.
  const char* home = facts.spec->platform.empty() ? "" : "cd 2>/dev/null\n";
  order.files.push_back(
      {path,
       fmt::format("#!/bin/sh\n{}exec {} agent \"$@\"\n", home, ShellQuote(facts.places->muster)),
       0755});
  return path;
}

void ShadowSsh(const JobFacts& facts, NodeOrder& order, RankOrder& process) {
  WriteSsh(facts, order);
  std::vector<std::string> argv{
      "/bin/sh", "-c",
      fmt::format("PATH={}:$PATH exec \"$0\" \"$@\"", ShellQuote(order.dir + "/bin"))};
  argv.insert(argv.end(), process.argv.begin(), process.argv.end());
  process.argv = std::move(argv);
}

Status ApplyMpirun(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  const auto is_head = [](const RankOrder& rank) { return !rank.service; };
  const auto head = std::find_if(orders.begin(), orders.end(), [&](const NodeOrder& order) {
    return std::any_of(order.ranks.begin(), order.ranks.end(), is_head);
  });
  const bool own_launcher = head != orders.end() && CallsMpirun(head->ranks.front().argv);
  MUSTER_TRY(Check(facts, own_launcher));

  RankOrder& mpirun = head->ranks.front();
  MpiFiles files{.slots = head->dir + "/hostfile", .hydra = head->dir + "/hostfile.hydra"};
  head->files.push_back({files.slots, SlotLines(facts, orders, nullptr)});
  head->files.push_back({files.hydra, HydraLines(facts, orders)});
  files.ssh = WriteSsh(facts, *head);
  if (!own_launcher) {
    MUSTER_ASSIGN(mpirun.argv, MpirunWords(facts, orders, *head));
  }
  DropRankEnv(mpirun.env);
  SetMpirunEnv(facts, files, *head, mpirun);
  for (NodeOrder& order : orders) {
    if (facts.role_of_node[size_t(order.node)]->service) continue;
    order.agent = true;
    SetRootEnv(order.env);
  }
  return {};
}

}  // namespace muster::dialect
