#pragma once

#include <sys/types.h>

#include <cstdint>

#include "model/exit_report.h"

namespace muster::launcher {

// The wait status and resource usage of a reaped child.
struct EndedChild {
  pid_t pid = -1;
  int wait_status = 0;
  int64_t cpu_ms = 0;
  int64_t peak_rss = 0;  // bytes
};

// The state of the launcher when the child was reaped.
struct EndContext {
  StoppedBy stopping = StoppedBy::kNobody;  // set if a stop began before the rank was seen to end
  bool oom_kill = false;   // the kernel killed a process of the node for lack of memory
  int killed_below = 0;    // the signal that killed a process of the rank before the stop
  int warning_signal = 0;  // the signal of the time limit's warning, if it was sent
};

// The exit report of a rank. Pure.
ExitReport JudgeEnd(const EndedChild& child, const EndContext& context);

// Sort order of ranks that ended in the same instant: out of memory and signals first, because they
// usually cause the other failures.
int CauseOrder(const ExitReport& report);

}  // namespace muster::launcher
