#pragma once

#include <sys/types.h>

#include <cstdint>

#include "model/exit_report.h"

namespace muster::launcher {

// What the kernel told about a child that was waited for.
struct EndedChild {
  pid_t pid = -1;
  int wait_status = 0;
  int64_t cpu_ms = 0;
  int64_t peak_rss = 0;  // bytes
};

// What the launcher knew when it waited.
struct EndContext {
  StoppedBy stopping = StoppedBy::kNobody;  // a stop had begun before the rank was seen to end
  bool oom_kill = false;                    // the kernel killed a process of the node for memory
  int killed_below = 0;                     // killed a process of the rank before that stop
  int warning_signal = 0;                   // the time limit's warning, once it was sent
};

// The exit report of a rank. Pure.
ExitReport JudgeEnd(const EndedChild& child, const EndContext& context);

// Of several ranks seen ended in one look, the one that is the cause goes first: a death by memory
// or by a signal makes the others fail, seldom the other way round.
int CauseOrder(const ExitReport& report);

}  // namespace muster::launcher
