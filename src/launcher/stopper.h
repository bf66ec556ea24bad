#pragma once

#include <cstdint>

#include "model/exit_report.h"

namespace muster::launcher {

// How a node comes to rest, as states and events in one table. It decides and does nothing; node.cc
// does what it says. A node that ends by itself takes the short way: what its ranks left behind is
// asked, swept, and proven gone.

enum class StopState {
  kRunning,   // nothing was asked
  kHook,      // the on_stop hook runs, ranks know nothing yet
  kAsked,     // TERM was sent, the grace time runs
  kSweeping,  // what lives is killed, again and again, until a look finds nothing
  kClean,     // proven
};
inline constexpr int kStopStateCount = int(StopState::kClean) + 1;

enum class StopEvent {
  kStop,         // somebody wants a stop, for the first time or again
  kHookEnded,    // on_stop has ended, or there is none to run
  kAllEnded,     // no rank and no setup hook lives any more
  kLookDue,      // time for another look at what is left
  kDeadline,     // the hook's limit, or the grace time, is over
  kNothingLeft,  // a look found no process
};
inline constexpr int kStopEventCount = int(StopEvent::kNothingLeft) + 1;

enum class StopAction {
  kNone,
  kRunHook,   // start on_stop with a limit, or say kHookEnded
  kAsk,       // TERM to every rank; the grace time begins
  kCutHook,   // kill on_stop, then as kAsk
  kFarewell,  // as kLook, with a short time for what the ranks left behind
  kHasten,    // the deadline comes nearer if the new stop says so
  kLook,      // is anything left? ask it too, once; look again soon
  kSweep,     // look, kill, look again soon
  kProve,     // write the proof
};

struct StopStep {
  StopState next;
  StopAction action;
};
StopStep NextStop(StopState state, StopEvent event);

// The time between TERM and KILL. A failed attempt has no use for a long farewell, and its nodes
// must be free within two seconds of the failure.
inline constexpr int64_t kFailureGraceMs = 1200;
// What outlives its ranks by a moment is no daemon; real ones need not be waited for.
inline constexpr int64_t kFarewellMs = 200;
int64_t GraceOf(StoppedBy by, int64_t ordered_ms, int64_t told_ms);

// Whether on_stop runs: when somebody asks for a stop, not when a failure or the end of the work
// does.
bool RunsStopHook(StoppedBy by);

// Whether on_failure is killed when this wish arrives while it runs: when somebody waits for the
// node. What the attempt's other nodes say is the same failure, told once more.
bool CutsFailureHook(StoppedBy by);

}  // namespace muster::launcher
