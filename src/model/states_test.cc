#include "model/states.h"

#include <gtest/gtest.h>

#include <set>

namespace muster {
namespace {

using Kind = Transition::Kind;

std::vector<State> AllStates() {
  std::vector<State> all;
  for (int i = 0; i < kStateCount; ++i) all.push_back(State(i));
  return all;
}
std::vector<Event> AllEvents() {
  std::vector<Event> all;
  for (int i = 0; i < kEventCount; ++i) all.push_back(Event(i));
  return all;
}

TEST(StatesTest, EveryCellIsDecidedAndOnlyMovesChangeTheState) {
  for (State state : AllStates()) {
    for (Event event : AllEvents()) {
      const Transition cell = Next(state, event);
      ASSERT_TRUE(cell.kind == Kind::kMove || cell.kind == Kind::kStay ||
                  cell.kind == Kind::kRefuse);
      if (cell.kind == Kind::kMove) {
        EXPECT_NE(cell.next, state) << Name(state) << " x " << Name(event);
      } else {
        EXPECT_EQ(cell.next, state) << Name(state) << " x " << Name(event);
      }
    }
  }
}

TEST(StatesTest, TerminalStatesAreFinal) {
  for (State state : AllStates()) {
    if (!IsTerminal(state)) continue;
    for (Event event : AllEvents()) EXPECT_EQ(Next(state, event).next, state) << Name(event);
  }
}

TEST(StatesTest, EveryUnfinishedStateCanReachEveryTerminalState) {
  for (State from : AllStates()) {
    if (IsTerminal(from)) continue;
    std::set<State> seen{from};
    std::vector<State> todo{from};
    while (!todo.empty()) {
      const State state = todo.back();
      todo.pop_back();
      for (Event event : AllEvents())
        if (seen.insert(Next(state, event).next).second) todo.push_back(Next(state, event).next);
    }
    for (State end : {State::kSucceeded, State::kFailed, State::kStopped})
      EXPECT_TRUE(seen.contains(end)) << Name(from) << " never reaches " << Name(end);
  }
}

TEST(StatesTest, StopIsAcceptedInEveryUnfinishedStateAndRefusedInOthers) {
  EXPECT_EQ(Next(State::kQueued, Event::kStopAsked).next, State::kStopped);
  EXPECT_EQ(Next(State::kStarting, Event::kStopAsked).next, State::kStopping);
  EXPECT_EQ(Next(State::kRunning, Event::kStopAsked).next, State::kStopping);
  EXPECT_EQ(Next(State::kStopping, Event::kStopAsked).kind, Kind::kStay);
  for (State end : {State::kSucceeded, State::kFailed, State::kStopped})
    EXPECT_EQ(Next(end, Event::kStopAsked).kind, Kind::kRefuse);
}

TEST(StatesTest, StoppedRequiresTheProofOfARunningAttempt) {
  for (State state : {State::kStarting, State::kRunning, State::kStopping})
    for (Event event : AllEvents())
      if (Next(state, event).next == State::kStopped) EXPECT_EQ(event, Event::kEndedStopped);
}

TEST(StatesTest, NamesRoundTrip) {
  for (State state : AllStates()) EXPECT_EQ(StateFromName(Name(state)), state);
  EXPECT_EQ(StateFromName("paused"), std::nullopt);
}

}  // namespace
}  // namespace muster
