#include "lifecycle/judge.h"

#include <gtest/gtest.h>

namespace muster::lifecycle {
namespace {

Attempt WithRanks(std::vector<ExitReport> exits) {
  Attempt attempt;
  for (size_t i = 0; i < exits.size(); ++i)
    attempt.ranks.push_back({.rank = int(i), .exit = exits[i]});
  return attempt;
}
Attempt Ended(const ExitReport& exit, bool stop_asked = false) {
  Attempt attempt;
  attempt.exit = exit;
  attempt.stop_asked = stop_asked;
  return attempt;
}
const ExitReport kGood{.how = ExitClass::kSucceeded};

TEST(JudgeTest, AttemptSucceedsOnlyIfEveryRankDid) {
  EXPECT_EQ(OverallExit(WithRanks({kGood, kGood})).how, ExitClass::kSucceeded);
  EXPECT_EQ(OverallExit(WithRanks({kGood, {.how = ExitClass::kExitCode, .code = 3}})).code, 3);
}

TEST(JudgeTest, RankWithoutAnEndIsLost) {
  Attempt attempt = WithRanks({kGood});
  attempt.ranks.push_back({.rank = 1});
  EXPECT_EQ(OverallExit(attempt).how, ExitClass::kLost);
}

TEST(JudgeTest, ServersStoppedAfterTheWorkersDoNotFailTheAttempt) {
  const ExitReport served{
      .how = ExitClass::kStopped, .signal = 15, .stopped_by = StoppedBy::kRoleEnd};
  EXPECT_EQ(OverallExit(WithRanks({kGood, served})).how, ExitClass::kSucceeded);
}

TEST(JudgeTest, CausePrecedesItsConsequences) {
  Attempt attempt = WithRanks({{.how = ExitClass::kStopped, .stopped_by = StoppedBy::kRankFailure},
                               {.how = ExitClass::kSignal, .signal = 11}});
  attempt.stopped_by = StoppedBy::kRankFailure;
  attempt.cause = Cause{1, 0, "n", {.how = ExitClass::kSignal, .signal = 11}, ""};
  EXPECT_EQ(OverallExit(attempt).signal, 11);
}

TEST(JudgeTest, UserStopRemainsAStopWhateverRanksReport) {
  Attempt attempt = WithRanks({{.how = ExitClass::kExitCode, .code = 1}});
  attempt.stopped_by = StoppedBy::kUser;
  attempt.cause = Cause{0, 0, "n", {.how = ExitClass::kExitCode, .code = 1}, ""};
  const ExitReport exit = OverallExit(attempt);
  EXPECT_EQ(exit.how, ExitClass::kStopped);
  EXPECT_EQ(OutcomeOf({}, 0, Ended(exit)).event, Event::kEndedStopped);
}

TEST(JudgeTest, OnlyFailuresUseRetries) {
  JobSpec spec;
  spec.retries = 1;
  const ExitReport failed{.how = ExitClass::kExitCode, .code = 1};
  EXPECT_EQ(OutcomeOf(spec, 0, Ended(failed)).event, Event::kEndedRetry);
  EXPECT_TRUE(OutcomeOf(spec, 0, Ended(failed)).uses_retry);
  EXPECT_EQ(OutcomeOf(spec, 1, Ended(failed)).event, Event::kEndedBadly);
  const ExitReport preempted{.how = ExitClass::kStopped, .stopped_by = StoppedBy::kPreemption};
  EXPECT_EQ(OutcomeOf({}, 0, Ended(preempted)).event, Event::kEndedRetry);
  EXPECT_FALSE(OutcomeOf({}, 0, Ended(preempted)).uses_retry);
  EXPECT_EQ(OutcomeOf(spec, 0, Ended({.how = ExitClass::kTimedOut})).event, Event::kEndedBadly);
  EXPECT_EQ(OutcomeOf(spec, 0, Ended({.how = ExitClass::kCouldNotStart})).event,
            Event::kEndedBadly);
}

TEST(JudgeTest, NothingIsRepeatedAfterAUserStop) {
  JobSpec spec;
  spec.retries = 1;
  const ExitReport failed{.how = ExitClass::kExitCode, .code = 1};
  EXPECT_EQ(OutcomeOf(spec, 0, Ended(failed, true)).event, Event::kEndedBadly);
  const ExitReport preempted{.how = ExitClass::kStopped, .stopped_by = StoppedBy::kPreemption};
  EXPECT_EQ(OutcomeOf(spec, 0, Ended(preempted, true)).event, Event::kEndedStopped);
}

}  // namespace
}  // namespace muster::lifecycle
