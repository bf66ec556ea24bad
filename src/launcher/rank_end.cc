#include "launcher/rank_end.h"

#include <csignal>

#include <fmt/format.h>

namespace muster::launcher {
namespace {

// A shell whose child was killed exits with this code.
constexpr int kShellKilled = 128 + SIGKILL;

bool DiedOfMemory(const ExitReport& report, const EndContext& context) {
  return context.oom_kill && (report.signal == SIGKILL || report.code == kShellKilled);
}

}  // namespace

ExitReport JudgeEnd(const EndedChild& child, const EndContext& context) {
  ExitReport report = FromWaitStatus(child.wait_status);
  report.cpu_ms = child.cpu_ms;
  report.peak_rss = child.peak_rss;
  if (context.stopping != StoppedBy::kNobody) {
    const bool late = context.stopping == StoppedBy::kTimeLimit;
    report.how = late ? ExitClass::kTimedOut : ExitClass::kStopped;
    report.stopped_by = context.stopping;
    report.killed_below = context.killed_below;
  } else if (DiedOfMemory(report, context)) {
    report.how = ExitClass::kOutOfMemory;
    report.signal = SIGKILL;
    report.code = 0;
  } else if (context.warning_signal != 0 && report.signal == context.warning_signal) {
    // Muster sent the signal: its default action is not a failure of the program.
    report.how = ExitClass::kTimedOut;
    report.stopped_by = StoppedBy::kTimeLimit;
    report.detail = fmt::format("the warning signal {} ended it before the time limit",
                                SignalName(report.signal));
  }
  return report;
}

int CauseOrder(const ExitReport& report) {
  switch (report.how) {
    case ExitClass::kOutOfMemory:
      return 0;
    case ExitClass::kSignal:
      return 1;
    case ExitClass::kCouldNotStart:
    case ExitClass::kNotFetched:
      return 2;
    case ExitClass::kExitCode:
      return 3;
    default:
      return 4;
  }
}

}  // namespace muster::launcher
