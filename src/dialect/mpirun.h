#pragma once

#include <string>
#include <vector>

#include "dialect/framework.h"

namespace muster::dialect {

// One mpirun on the first working node starts all ranks, where a job's framework goes by MPI. Where
// it would call ssh it calls `muster agent HOST …`, which hands the command to the launcher of that
// node. Service roles stay outside of the MPI world and are started as they are.

// Whether the command calls mpirun, mpiexec or one of their other names.
bool CallsMpirun(const std::vector<std::string>& argv);

// Answers Framework::processes.
int MpirunProcesses(const JobSpec& spec, const Role& role, int role_node);

// Wraps the command in mpirun unless it calls one itself, and gives what the MPIs read: Open MPI 4
// and 5 and MPICH have different names for all of it, so all three get theirs.
Status ApplyMpirun(const JobFacts& facts, std::vector<NodeOrder>& orders);

// Writes the login stand-in into the node's folder; its path.
std::string WriteSsh(const JobFacts& facts, NodeOrder& order);

// Lets the nodes run each other's commands: `muster agent` under the name of ssh in front of PATH,
// for launchers that know nothing else. Wraps the command of the process.
void ShadowSsh(const JobFacts& facts, NodeOrder& order, RankOrder& process);

}  // namespace muster::dialect
