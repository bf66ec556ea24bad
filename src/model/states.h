#pragma once

#include <optional>
#include <string_view>

namespace muster {

enum class State { kQueued, kStarting, kRunning, kStopping, kSucceeded, kFailed, kStopped };
inline constexpr int kStateCount = int(State::kStopped) + 1;

enum class Event {
  kPlaced,          // the scheduler gave it an allocation
  kStarted,         // every rank of every node executes
  kRankFailed,      // the first failing rank of the attempt; the rest is being stopped
  kStopAsked,       // by a user
  kTimeLimit,       // the time limit passed, ranks are being stopped
  kPreempted,       // a job of higher priority takes its place
  kUpstreamFailed,  // a job named in `after` ended so that this one can never start
  kEndedWell,       // the attempt is clean, and every rank succeeded
  kEndedBadly,      // the attempt is clean, something failed, no attempt is left
  kEndedRetry,      // the attempt is clean, something failed or it was preempted; another is due
  kEndedStopped,    // the attempt is clean after a stop that a user asked for
};
inline constexpr int kEventCount = int(Event::kEndedStopped) + 1;

// What one cell of the table says. Every cell is decided: a move, a stay, or a refusal.
struct Transition {
  enum class Kind { kMove, kStay, kRefuse } kind;
  State next;  // the same state unless kMove
};

// kRefuse is our mistake when the event is ours (asserted by the caller), and the user's when it is
// a request (answered with kConflict).
Transition Next(State state, Event event);

bool IsTerminal(State state);
const char* Name(State state);  // "queued", as pinned
const char* Name(Event event);
std::optional<State> StateFromName(std::string_view name);

}  // namespace muster
