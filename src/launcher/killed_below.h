#pragma once

#include <vector>

#include "os/process_table.h"

namespace muster::launcher {

// The signal that killed a process below `root` that its parent has not reaped; 0 if there is none,
// or if no such signal can be a cause. Pure.
int KilledBelow(const std::vector<os::ProcessInfo>& all, pid_t root);

}  // namespace muster::launcher
