// The stop table with simulated processes that end at random times: in any order of events a node
// becomes clean, sends TERM before KILL, and proves only true facts.
#include <deque>
#include <ostream>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/testing/property.h"
#include "launcher/stopper.h"

namespace muster::launcher {
namespace {

// The possible next events.
enum class Turn { kStop, kHookEnds, kRankEnds, kStrayEnds, kClock };
struct Step {
  Turn turn;
};
std::ostream& operator<<(std::ostream& out, const Step& step) {
  constexpr const char* kNames[] = {"stop", "hook ends", "rank ends", "stray ends", "clock"};
  return out << kNames[int(step.turn)];
}

rc::Gen<std::vector<Step>> AnySteps() {
  return rc::gen::container<std::vector<Step>>(rc::gen::map(
      rc::gen::inRange(0, int(Turn::kClock) + 1), [](int i) { return Step{Turn(i)}; }));
}

// A simulated node: living processes and running clocks. Executes the actions of the table.
class World {
 public:
  World(int ranks, int strays) : ranks_(ranks), strays_(strays) {}

  void Happen(Turn turn) {
    switch (turn) {
      case Turn::kStop:
        return Tell(StopEvent::kStop);
      case Turn::kHookEnds:
        if (!hook_) return;
        hook_ = false;
        return Tell(StopEvent::kHookEnded);
      case Turn::kRankEnds:
        if (ranks_ == 0) return;
        if (--ranks_ == 0) Tell(StopEvent::kAllEnded);
        return;
      case Turn::kStrayEnds:
        if (strays_ > 0) --strays_;
        return;
      case Turn::kClock:
        return Tick();
    }
  }

  // The earliest clock expires: a look precedes the deadline.
  void Tick() {
    if (look_due_) {
      look_due_ = false;
      Tell(StopEvent::kLookDue);
    } else if (deadline_) {
      deadline_ = false;
      Tell(StopEvent::kDeadline);
    }
  }

  // Deadlines pass also while looks continue.
  void PassDeadline() {
    if (!deadline_) return;
    deadline_ = false;
    Tell(StopEvent::kDeadline);
  }

  StopState state() const { return state_; }
  int alive() const { return ranks_ + strays_ + (hook_ ? 1 : 0); }
  int proofs() const { return proofs_; }

 private:
  // Actions cause events, which are processed in order.
  void Tell(StopEvent event) {
    events_.push_back(event);
    if (std::exchange(deciding_, true)) return;
    while (!events_.empty()) {
      const StopStep step = NextStop(state_, events_.front());
      events_.pop_front();
      RC_ASSERT(int(step.next) >= int(state_));
      state_ = step.next;
      Do(step.action);
    }
    deciding_ = false;
  }

  void Do(StopAction action) {
    switch (action) {
      case StopAction::kNone:
      case StopAction::kHasten:
        return;
      case StopAction::kRunHook:
        RC_ASSERT(!asked_);  // the hook runs before ranks are signalled
        hook_ = deadline_ = true;
        return;
      case StopAction::kCutHook:
        hook_ = false;
        return Ask();
      case StopAction::kAsk:
        return Ask();
      case StopAction::kFarewell:
        RC_ASSERT(ranks_ == 0);
        asked_ = deadline_ = true;
        return Look();
      case StopAction::kLook:
        RC_ASSERT(asked_);
        return Look();
      case StopAction::kSweep:
        RC_ASSERT(asked_);  // no process is killed before TERM
        return Sweep();
      case StopAction::kProve:
        RC_ASSERT(alive() == 0);
        ++proofs_;
        return;
    }
  }

  void Ask() {
    RC_ASSERT(!hook_);
    RC_ASSERT(!asked_);  // many programs exit immediately on a second TERM
    asked_ = deadline_ = true;
    if (ranks_ == 0) Tell(StopEvent::kAllEnded);
  }

  void Look() {
    if (ranks_ > 0) return;  // their end is an event
    if (alive() == 0) return Tell(StopEvent::kNothingLeft);
    look_due_ = true;
  }

  void Sweep() {
    strays_ = 0;
    if (std::exchange(ranks_, 0) > 0) return Tell(StopEvent::kAllEnded);
    Look();
  }

  StopState state_ = StopState::kRunning;
  int ranks_, strays_;  // strays: remaining processes of a rank
  bool hook_ = false, asked_ = false, look_due_ = false, deadline_ = false;
  int proofs_ = 0;
  bool deciding_ = false;
  std::deque<StopEvent> events_;
};

TEST(StopperProperty, NodeBecomesCleanInEveryOrderOfEvents) {
  CheckProperty(1'000, [] {
    World world(*rc::gen::inRange(1, 4), *rc::gen::inRange(0, 3));
    for (const Step& step : *AnySteps()) {
      world.Happen(step.turn);
      RC_ASSERT(world.proofs() == (world.state() == StopState::kClean ? 1 : 0));
    }
    // From here on only clocks advance: processes end by KILL only.
    world.Happen(Turn::kStop);
    for (int i = 0; i < 6 && world.state() != StopState::kClean; ++i) {
      world.PassDeadline();
      world.Tick();
    }
    RC_ASSERT(world.state() == StopState::kClean);
    RC_ASSERT(world.proofs() == 1);
    RC_ASSERT(world.alive() == 0);
  });
}

}  // namespace
}  // namespace muster::launcher
