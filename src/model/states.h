#pragma once

#include <optional>
#include <string_view>

namespace muster {

enum class State { kQueued, kStarting, kRunning, kStopping, kSucceeded, kFailed, kStopped };
inline constexpr int kStateCount = int(State::kStopped) + 1;

enum class Event {
  kPlaced,          // the scheduler allocated devices
  kStarted,         // all ranks of all nodes execute
  kRankFailed,      // the first rank failure of the attempt; the other ranks are being stopped
  kStopAsked,       // requested by a user
  kTimeLimit,       // the time limit has passed; ranks are being stopped
  kPreempted,       // a job of higher priority needs the devices
  kUpstreamFailed,  // a job named in `after` ended so that this one cannot start
  kEndedWell,       // the attempt is clean and all ranks succeeded
  kEndedBadly,      // the attempt is clean after a failure, and no retry is left
  kEndedRetry,    // the attempt is clean after a failure or preemption, and another attempt follows
  kEndedStopped,  // the attempt is clean after a user's stop
};
inline constexpr int kEventCount = int(Event::kEndedStopped) + 1;

// A cell of the table: a move, no effect, or a refusal.
struct Transition {
  enum class Kind { kMove, kStay, kRefuse } kind;
  State next;  // equal to the current state unless kMove
};

// kRefuse is a program error for internal events (asserted by the caller), and kConflict for
// requests.
Transition Next(State state, Event event);

bool IsTerminal(State state);
const char* Name(State state);  // "queued"; a stable name
const char* Name(Event event);
std::optional<State> StateFromName(std::string_view name);

}  // namespace muster
