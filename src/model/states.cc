#include "model/states.h"

#include "model/names.h"

namespace muster {
namespace {

constexpr NameTable<State, State::kStopped> kStates = {
    "queued", "starting", "running", "stopping", "succeeded", "failed", "stopped"};
constexpr NameTable<Event, Event::kEndedStopped> kEvents = {
    "placed",          "started",    "rank_failed", "stop_asked",  "time_limit",   "preempted",
    "upstream_failed", "ended_well", "ended_badly", "ended_retry", "ended_stopped"};
static_assert(kStates.back() != nullptr && kEvents.back() != nullptr);

// One row per state, one column per event. `stay`: the event is late or repeated and has no effect.
// `no`: a program error, or a refused request of a user.
struct Cell {
  Transition::Kind kind;
  State next;
};
constexpr Cell stay{Transition::Kind::kStay, State::kQueued};
constexpr Cell no{Transition::Kind::kRefuse, State::kQueued};
constexpr Cell To(State next) { return {Transition::Kind::kMove, next}; }
constexpr Cell starting = To(State::kStarting), running = To(State::kRunning),
               stopping = To(State::kStopping), queued = To(State::kQueued),
               won = To(State::kSucceeded), failed = To(State::kFailed),
               stopped = To(State::kStopped);

// clang-format off
constexpr Cell kTable[kStateCount][kEventCount] = {
    //            placed    started  rank_failed stop_asked time_limit preempted upstream ended_well ended_badly ended_retry ended_stopped
    /*queued*/    {starting, no,      no,         stopped,   no,        no,       stopped, no,        failed,     no,         no},
    /*starting*/  {no,       running, stopping,   stopping,  stopping,  stopping, no,      won,       failed,     queued,     stopped},
    /*running*/   {no,       stay,    stopping,   stopping,  stopping,  stopping, no,      won,       failed,     queued,     stopped},
    /*stopping*/  {no,       stay,    stay,       stay,      stay,      stay,     no,      won,       failed,     queued,     stopped},
    /*succeeded*/ {no,       no,      no,         no,        no,        no,       no,      stay,      no,         no,         no},
    /*failed*/    {no,       no,      no,         no,        no,        no,       no,      no,        stay,       no,         no},
    /*stopped*/   {no,       no,      no,         no,        no,        no,       stay,    no,        no,         no,         stay},
};
// clang-format on

}  // namespace

Transition Next(State state, Event event) {
  const Cell cell = kTable[int(state)][int(event)];
  return {cell.kind, cell.kind == Transition::Kind::kMove ? cell.next : state};
}

bool IsTerminal(State state) {
  return state == State::kSucceeded || state == State::kFailed || state == State::kStopped;
}

const char* Name(State state) { return kStates[size_t(state)]; }
const char* Name(Event event) { return kEvents[size_t(event)]; }

std::optional<State> StateFromName(std::string_view name) { return FromName<State>(kStates, name); }

}  // namespace muster
