// The table of states and events, compared with the rules of a job's life under random sequences of
// events.
#include <ostream>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/testing/property.h"
#include "model/states.h"

namespace muster {
namespace {

using Kind = Transition::Kind;

struct Step {
  Event event;
};
std::ostream& operator<<(std::ostream& out, const Step& step) { return out << Name(step.event); }

// Events that end a job are rare, so that second attempts occur.
rc::Gen<Step> AnyStep() {
  const auto any = rc::gen::map(rc::gen::inRange(0, kEventCount), [](int i) { return Event(i); });
  const auto going = rc::gen::element(Event::kPlaced, Event::kStarted, Event::kRankFailed,
                                      Event::kPreempted, Event::kEndedRetry);
  return rc::gen::map(rc::gen::weightedOneOf<Event>({{1, any}, {6, going}}),
                      [](Event event) { return Step{event}; });
}
rc::Gen<std::vector<Step>> AnySteps() { return rc::gen::container<std::vector<Step>>(AnyStep()); }

// A job as a set of facts, from which its state follows.
class Life {
 public:
  State Shown() const {
    if (end_) return *end_;
    if (!alive_) return State::kQueued;
    if (leaving_) return State::kStopping;
    return all_execute_ ? State::kRunning : State::kStarting;
  }

  // Whether the event is possible now; applies it if so.
  bool Take(Event event) {
    if (!CanBeTrue(event)) return false;
    if (end_) return true;  // repeated
    switch (event) {
      case Event::kPlaced:
        *this = {.alive_ = true, .attempts_ = attempts_ + 1};
        break;
      case Event::kStarted:
        all_execute_ = true;
        break;
      case Event::kStopAsked:
        alive_ ? leaving_ = true : (end_ = State::kStopped, true);
        break;
      case Event::kRankFailed:
      case Event::kTimeLimit:
      case Event::kPreempted:
        leaving_ = true;
        break;
      case Event::kUpstreamFailed:
      case Event::kEndedStopped:
        Over(State::kStopped);
        break;
      case Event::kEndedWell:
        Over(State::kSucceeded);
        break;
      case Event::kEndedBadly:
        Over(State::kFailed);
        break;
      case Event::kEndedRetry:
        alive_ = false;
        break;
    }
    return true;
  }

  int attempts() const { return attempts_; }

  bool alive_ = false;        // the attempt may have processes
  bool all_execute_ = false;  // of the attempt
  bool leaving_ = false;      // of the attempt
  int attempts_ = 0;
  std::optional<State> end_;

 private:
  void Over(State state) {
    alive_ = false;
    end_ = state;
  }

  bool CanBeTrue(Event event) const {
    switch (event) {
      case Event::kPlaced:
        return !end_ && !alive_;  // one attempt at a time
      case Event::kStarted:
      case Event::kRankFailed:
      case Event::kTimeLimit:
      case Event::kPreempted:
      case Event::kEndedRetry:
        return !end_ && alive_;
      case Event::kStopAsked:
        return !end_;  // an ended job cannot be stopped
      case Event::kUpstreamFailed:
        return end_ ? *end_ == State::kStopped : !alive_;
      case Event::kEndedWell:
        return end_ ? *end_ == State::kSucceeded : alive_;
      case Event::kEndedBadly:
        return end_ ? *end_ == State::kFailed : true;  // it may fail before its first attempt
      case Event::kEndedStopped:
        return end_ ? *end_ == State::kStopped : alive_;
    }
    return false;
  }
};

TEST(StatesProperty, TableMatchesTheRulesForEverySequenceOfEvents) {
  CheckProperty(1'000, [] {
    const auto steps = *AnySteps();
    Life life;
    State state = State::kQueued;
    int placed = 0;
    for (const Step& step : steps) {
      const Transition cell = Next(state, step.event);
      const bool was_over = IsTerminal(state);
      const bool possible = life.Take(step.event);
      RC_ASSERT((cell.kind != Kind::kRefuse) == possible);
      RC_ASSERT(cell.next == life.Shown());
      RC_ASSERT((!was_over || cell.next == state));
      state = cell.next;
      placed += cell.kind == Kind::kMove && step.event == Event::kPlaced ? 1 : 0;
      RC_ASSERT(placed == life.attempts());
    }
  });
}

// The next event of a fair environment: it places waiting jobs and eventually proves each attempt
// clean. `retries` bounds the number of retries.
Event FairEvent(State state, int& retries) {
  if (state == State::kQueued) return Event::kPlaced;
  return retries-- > 0
             ? Event::kEndedRetry
             : *rc::gen::element(Event::kEndedWell, Event::kEndedBadly, Event::kEndedStopped);
}

TEST(StatesProperty, JobEndsInAFairEnvironment) {
  CheckProperty(1'000, [] {
    State state = State::kQueued;
    for (const Step& step : *AnySteps()) state = Next(state, step.event).next;
    const int retries = *rc::gen::inRange(0, 4);
    int retries_left = retries, steps = 0;
    while (!IsTerminal(state)) {
      RC_ASSERT(steps++ <= 2 * retries + 2);
      const Transition cell = Next(state, FairEvent(state, retries_left));
      RC_ASSERT(cell.kind == Kind::kMove);
      state = cell.next;
    }
  });
}

// `stopped` promises that no process runs.
TEST(StatesProperty, OnlyAProofEndsAnAttempt) {
  CheckProperty(1'000, [] {
    State state = State::kQueued;
    for (const Step& step : *AnySteps()) {
      const State next = Next(state, step.event).next;
      const bool held = state != State::kQueued && !IsTerminal(state);
      const bool holds = next != State::kQueued && !IsTerminal(next);
      const bool proof = step.event == Event::kEndedWell || step.event == Event::kEndedBadly ||
                         step.event == Event::kEndedRetry || step.event == Event::kEndedStopped;
      RC_ASSERT((!held || holds || proof));
      RC_ASSERT((held || !holds || step.event == Event::kPlaced));
      state = next;
    }
  });
}

}  // namespace
}  // namespace muster
