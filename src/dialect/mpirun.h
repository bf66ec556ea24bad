#pragma once

#include <string>
#include <vector>

#include "dialect/framework.h"

namespace muster::dialect {

// For frameworks that use MPI, one mpirun on the first working node starts all ranks. Instead of
// ssh it calls `muster agent HOST …`, which passes the command to the launcher of that node.
// Service roles are outside the MPI world and started directly.

// Whether the command calls mpirun, mpiexec or one of their aliases.
bool CallsMpirun(const std::vector<std::string>& argv);

// Implements Framework::processes.
int MpirunProcesses(const JobSpec& spec, const Role& role, int role_node);

// Wraps the command in mpirun unless it calls one, and sets the variables of Open MPI 4, Open MPI 5
// and MPICH, which have different names.
Status ApplyMpirun(const JobFacts& facts, std::vector<NodeOrder>& orders);

// Writes the ssh replacement to the node's folder and returns its path.
std::string WriteSsh(const JobFacts& facts, NodeOrder& order);

// Lets nodes run commands on each other: `muster agent` with the name ssh is first in PATH, for
// launchers that support only ssh. Wraps the command of the process.
void ShadowSsh(const JobFacts& facts, NodeOrder& order, RankOrder& process);

}  // namespace muster::dialect
