#pragma once

#include <vector>

#include "os/process_table.h"

namespace muster::launcher {

// The signal that killed a process somewhere below `root` which its parent has not waited for; 0
// when there is none, or none by a signal that could be a cause. Pure.
int KilledBelow(const std::vector<os::ProcessInfo>& all, pid_t root);

}  // namespace muster::launcher
