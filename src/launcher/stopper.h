#pragma once

#include <cstdint>

#include "model/exit_report.h"

namespace muster::launcher {

// The stop path of a node as one table of states and events. It only decides; node.cc executes its
// actions. A node that ends by itself takes the short path: remaining processes receive TERM, are
// killed, and the cleanup is proven.

enum class StopState {
  kRunning,   // no stop was requested
  kHook,      // the on_stop hook runs; ranks are not signalled yet
  kAsked,     // TERM was sent; the grace period runs
  kSweeping,  // remaining processes are killed repeatedly until a look finds none
  kClean,     // the cleanup is proven
};
inline constexpr int kStopStateCount = int(StopState::kClean) + 1;

enum class StopEvent {
  kStop,         // a stop was requested, for the first time or again
  kHookEnded,    // on_stop has ended, or does not exist
  kAllEnded,     // all ranks and the setup hook have ended
  kLookDue,      // time for another look at remaining processes
  kDeadline,     // the time limit of the hook, or the grace period, has passed
  kNothingLeft,  // a look found no process
};
inline constexpr int kStopEventCount = int(StopEvent::kNothingLeft) + 1;

enum class StopAction {
  kNone,
  kRunHook,   // start on_stop with a time limit, or raise kHookEnded
  kAsk,       // send TERM to every rank; the grace period begins
  kCutHook,   // kill on_stop, then as kAsk
  kFarewell,  // as kLook, with a short time for remaining processes
  kHasten,    // shorten the deadline if the new stop requires it
  kLook,      // send TERM to remaining processes once; look again soon
  kSweep,     // look, kill, look again soon
  kProve,     // write the cleanup proof
};

struct StopStep {
  StopState next;
  StopAction action;
};
StopStep NextStop(StopState state, StopEvent event);

// The grace period after a failure: short, because the nodes must be free within two seconds of the
// failure.
inline constexpr int64_t kFailureGraceMs = 1200;
// Grace period for processes that outlive their ranks for an instant; real daemons are killed
// afterwards.
inline constexpr int64_t kFarewellMs = 200;
int64_t GraceOf(StoppedBy by, int64_t ordered_ms, int64_t told_ms);

// Whether on_stop runs: after a requested stop, not after a failure or the end of the work.
bool RunsStopHook(StoppedBy by);

// Whether this stop kills a running on_failure hook: only if a user waits for the node. Messages of
// other nodes report the same failure.
bool CutsFailureHook(StoppedBy by);

}  // namespace muster::launcher
