#include "launcher/killed_below.h"

#include <unordered_map>

#include "model/exit_report.h"

namespace muster::launcher {

int KilledBelow(const std::vector<os::ProcessInfo>& all, pid_t root) {
  std::unordered_map<pid_t, pid_t> parents;
  for (const os::ProcessInfo& process : all) parents[process.pid] = process.ppid;
  const auto is_below = [&](pid_t pid) {
    // /proc is no snapshot: a reused pid could form a cycle.
    for (size_t steps = 0; steps < all.size(); ++steps) {
      const auto parent = parents.find(pid);
      if (parent == parents.end()) return false;
      if (parent->second == root) return true;
      pid = parent->second;
    }
    return false;
  };
  for (const os::ProcessInfo& process : all) {
    if (os::IsAlive(process)) continue;
    const int signal = FromWaitStatus(process.wait_status).signal;
    if (signal != 0 && !MayBeFallout(signal) && is_below(process.pid)) return signal;
  }
  return 0;
}

}  // namespace muster::launcher
