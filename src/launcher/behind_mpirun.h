#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "os/process_table.h"

namespace muster::launcher {

// The ranks that Open MPI's mpirun or one of its daemons started on this node, with what is in
// their process groups. `groups` are those that the launcher itself started; `own_name` is that of
// the login stand-ins, which mpirun starts too. Whoever asks these first lets them have their grace
// time: mpirun, asked to end, kills them at once.
std::vector<os::ProcessInfo> BehindMpirun(const std::vector<os::ProcessInfo>& all,
                                          const std::set<pid_t>& groups, std::string_view own_name);

}  // namespace muster::launcher
