#include "launcher/stopper.h"

#include <limits>

#include <gtest/gtest.h>

namespace muster::launcher {
namespace {

using enum StopState;
using E = StopEvent;
using A = StopAction;

void ExpectStep(StopState state, E event, StopState next, A action) {
  const StopStep step = NextStop(state, event);
  EXPECT_EQ(step.next, next) << int(state) << " x " << int(event);
  EXPECT_EQ(step.action, action) << int(state) << " x " << int(event);
}

TEST(StopperTest, RequestedStopRunsHookTermAndLook) {
  ExpectStep(kRunning, E::kStop, kHook, A::kRunHook);
  ExpectStep(kHook, E::kHookEnded, kAsked, A::kAsk);
  ExpectStep(kAsked, E::kAllEnded, kAsked, A::kLook);
  ExpectStep(kAsked, E::kLookDue, kAsked, A::kLook);
  ExpectStep(kAsked, E::kNothingLeft, kClean, A::kProve);
}

TEST(StopperTest, DeadlinesEndTheHookAndThenTheRanks) {
  ExpectStep(kHook, E::kDeadline, kAsked, A::kCutHook);
  ExpectStep(kAsked, E::kDeadline, kSweeping, A::kSweep);
  ExpectStep(kSweeping, E::kLookDue, kSweeping, A::kSweep);
  ExpectStep(kSweeping, E::kAllEnded, kSweeping, A::kSweep);
  ExpectStep(kSweeping, E::kNothingLeft, kClean, A::kProve);
}

TEST(StopperTest, NodeThatEndsByItselfIsSwept) {
  ExpectStep(kRunning, E::kAllEnded, kAsked, A::kFarewell);
}

TEST(StopperTest, SecondStopCanOnlyShortenTheDeadline) {
  ExpectStep(kHook, E::kStop, kHook, A::kHasten);
  ExpectStep(kAsked, E::kStop, kAsked, A::kHasten);
  ExpectStep(kSweeping, E::kStop, kSweeping, A::kNone);
}

// In any order of events: states only advance, and only a look without processes proves the
// cleanup.
TEST(StopperTest, EveryCellAdvancesAndOnlyALookProves) {
  for (int s = 0; s < kStopStateCount; ++s) {
    for (int e = 0; e < kStopEventCount; ++e) {
      const StopStep step = NextStop(StopState(s), E(e));
      EXPECT_GE(int(step.next), s);
      EXPECT_EQ(step.action == A::kProve, step.next == kClean && s != int(kClean));
      if (step.action == A::kProve) EXPECT_EQ(E(e), E::kNothingLeft);
      if (s == int(kClean)) EXPECT_EQ(step.action, A::kNone);
    }
  }
}

TEST(StopperTest, GracePeriodOfTheStopElseOfTheOrderAndShortAfterFailure) {
  EXPECT_EQ(GraceOf(StoppedBy::kUser, 10'000, -1), 10'000);
  EXPECT_EQ(GraceOf(StoppedBy::kUser, 10'000, 0), 0);
  EXPECT_EQ(GraceOf(StoppedBy::kUser, 10'000, 60'000), 60'000);
  EXPECT_EQ(GraceOf(StoppedBy::kRankFailure, 10'000, -1), kFailureGraceMs);
  EXPECT_EQ(GraceOf(StoppedBy::kRankFailure, 100, -1), 100);
  EXPECT_EQ(GraceOf(StoppedBy::kUser, -5, -1), 0);
  EXPECT_LT(GraceOf(StoppedBy::kUser, std::numeric_limits<int64_t>::max(), -1), int64_t(1) << 40);
}

TEST(StopperTest, StopHookRunsOnlyForRequestedStops) {
  EXPECT_TRUE(RunsStopHook(StoppedBy::kUser));
  EXPECT_TRUE(RunsStopHook(StoppedBy::kPreemption));
  EXPECT_TRUE(RunsStopHook(StoppedBy::kTimeLimit));
  EXPECT_FALSE(RunsStopHook(StoppedBy::kRankFailure));
  EXPECT_FALSE(RunsStopHook(StoppedBy::kRoleEnd));
}

TEST(StopperTest, OnlyAUserStopInterruptsTheFailureHook) {
  EXPECT_TRUE(CutsFailureHook(StoppedBy::kUser));
  EXPECT_TRUE(CutsFailureHook(StoppedBy::kPreemption));
  EXPECT_FALSE(CutsFailureHook(StoppedBy::kTimeLimit));
  EXPECT_FALSE(CutsFailureHook(StoppedBy::kRankFailure));
  EXPECT_FALSE(CutsFailureHook(StoppedBy::kRoleEnd));
}

}  // namespace
}  // namespace muster::launcher
