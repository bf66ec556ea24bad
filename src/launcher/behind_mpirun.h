#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "os/process_table.h"

namespace muster::launcher {

// The ranks that Open MPI's mpirun or one of its daemons started on this node, and the other
// processes of their process groups. `groups` are the process groups that the launcher started;
// `own_name` is the name of the ssh replacements, which mpirun starts as well. These ranks receive
// TERM first, because mpirun kills them immediately when it receives TERM itself.
std::vector<os::ProcessInfo> BehindMpirun(const std::vector<os::ProcessInfo>& all,
                                          const std::set<pid_t>& groups, std::string_view own_name);

}  // namespace muster::launcher
