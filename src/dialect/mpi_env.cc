#include "dialect/mpi_env.h"

#include <algorithm>

#include "dialect/environment.h"
#include "dialect/plan.h"

namespace muster::dialect {

namespace {

constexpr int kConcurrentLogins = 128;  // the default of Open MPI
// Versions before 4 create sockets below that folder, whose paths are limited to 107 characters.
constexpr size_t kLongestSessions = 64;

bool ShareAMachine(const Allocation& allocation) {
  std::vector<std::string> names;
  for (const NodeShare& share : allocation.nodes) names.push_back(share.node);
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) != names.end();
}

void SetLogins(const JobFacts& facts, const MpiFiles& files, Pairs& env) {
  SetEnv(env, "OMPI_MCA_plm_rsh_agent", facts.places->muster + " agent");
  SetEnv(env, "OMPI_MCA_orte_default_hostfile", files.slots);
  SetEnv(env, "OMPI_MCA_orte_keep_fqdn_hostnames", "true");
  // Every daemon stays a child of its node's agent, whose call lasts as long as the daemon.
  SetEnv(env, "OMPI_MCA_orte_leave_session_attached", "1");
  SetEnv(env, "OMPI_MCA_plm_rsh_no_tree_spawn", "1");
  SetEnv(env, "PRTE_MCA_plm_ssh_agent", facts.places->muster + " agent");
  SetEnv(env, "PRTE_MCA_prte_default_hostfile", files.slots);
  SetEnv(env, "PRTE_MCA_prte_keep_fqdn_hostnames", "true");
  SetEnv(env, "PRTE_MCA_prte_leave_session_attached", "1");
  SetEnv(env, "PRTE_MCA_plm_ssh_no_tree_spawn", "1");
  SetEnv(env, "HYDRA_LAUNCHER", "ssh");
  SetEnv(env, "HYDRA_LAUNCHER_EXEC", files.ssh);
  SetEnv(env, "HYDRA_HOST_FILE", files.hydra);
  const int nodes = int(facts.allocation->nodes.size());
  SetEnv(env, "OMPI_MCA_plm_rsh_num_concurrent", std::max(kConcurrentLogins, nodes + 1));
}

void SetInterfaces(const std::string& interface, Pairs& env) {
  if (interface.empty()) return;
  for (const char* name : {"OMPI_MCA_oob_tcp_if_include", "OMPI_MCA_btl_tcp_if_include",
                           "PRTE_MCA_prte_if_include", "UCX_NET_DEVICES", "HYDRA_IFACE"}) {
    SetEnvDefault(env, name, interface);
  }
}

}  // namespace

void SetRootEnv(Pairs& env) {
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                           "PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"}) {
    SetEnv(env, name, "1");
  }
}

void SetMpirunEnv(const JobFacts& facts, const MpiFiles& files, NodeOrder& head,
                  RankOrder& mpirun) {
  const auto& nodes = facts.allocation->nodes;
  SetLogins(facts, files, mpirun.env);
  // Two jobs on a machine would both bind to its first cores.
  SetEnvDefault(head.env, "OMPI_MCA_hwloc_base_binding_policy", "none");
  SetEnvDefault(head.env, "PRTE_MCA_hwloc_default_binding_policy", "none");
  // One second for each of three steps after a rank failure. A stop signals the ranks directly
  // (launcher/behind_mpirun.h), so that they still have their grace period.
  SetEnvDefault(head.env, "OMPI_MCA_odls_base_sigkill_timeout", "0");
  SetEnvDefault(head.env, "PRTE_MCA_odls_base_sigkill_timeout", "0");
  const auto loopback = std::ranges::find_if(nodes, IsLoopback);
  SetInterfaces(Interface(*facts.spec, loopback == nodes.end() ? nodes.front() : *loopback),
                head.env);
  const bool crowded = ShareAMachine(*facts.allocation) ||
                       std::any_of(nodes.begin(), nodes.end(),
                                   [](const NodeShare& share) { return share.is_virtual; });
  if (crowded) {
    // Nodes on one machine may have the same host name, which conflicts in shared memory.
    SetEnvDefault(head.env, "OMPI_MCA_btl", "self,tcp");
    SetEnvDefault(head.env, "OMPI_MCA_mpi_yield_when_idle", "1");
    // Daemons would share /tmp/ompi.HOST.USER with all jobs on this machine, and two that start or
    // end at the same time fail.
    if (head.dir.size() <= kLongestSessions) {
      SetEnvDefault(head.env, "OMPI_MCA_orte_tmpdir_base", head.dir);
    }
  }
}

}  // namespace muster::dialect
