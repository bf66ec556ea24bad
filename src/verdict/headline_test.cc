#include <csignal>

#include <gmock/gmock.h>

#include "base/text.h"
#include "verdict/failures_for_test.h"

namespace muster::verdict {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Headline, NamesRankNodeAndExit) {
  EXPECT_EQ(JudgeLines({}, Exited(7)).headline,
            "rank 1 (worker) on node-1 failed first: exited with code 7");
  EXPECT_THAT(JudgeLines({}, Killed(SIGSEGV)).headline, HasSubstr("was killed by SIGSEGV"));
  EXPECT_THAT(JudgeLines({}, {.how = ExitClass::kOutOfMemory, .signal = SIGKILL}).headline,
              HasSubstr("ran out of memory"));
  EXPECT_THAT(
      JudgeLines({}, {.how = ExitClass::kCouldNotStart, .detail = "no such file: x"}).headline,
      HasSubstr("could not start: no such file: x"));
}

TEST(Headline, ContainsTheLogLineThatShowsTheCause) {
  EXPECT_EQ(JudgeLines({"epoch 1", "[rank1]: ValueError: bad shape"}).headline,
            "rank 1 (worker) on node-1 failed first: ValueError: bad shape (exited with code 1)");
  EXPECT_EQ(JudgeLines({"CUDA error: device-side assert triggered"}, Killed(SIGABRT)).headline,
            "rank 1 (worker) on node-1 failed first: CUDA error: device-side assert triggered "
            "(was killed by SIGABRT)");
}

TEST(Headline, OmitsTheLogLineAfterASignalFromOutside) {
  EXPECT_EQ(JudgeLines({"ValueError: handled"}, Killed(SIGKILL)).headline,
            "rank 1 (worker) on node-1 failed first: was killed by SIGKILL");
}

TEST(Headline, ShortensALongLogLine) {
  const std::string line = "ValueError: " + std::string(1000, 'x');
  const Verdict verdict = JudgeLines({line});
  EXPECT_LT(verdict.headline.size(), 250u);
  EXPECT_THAT(verdict.headline, HasSubstr("xx… (exited with code 1)"));
}

TEST(Headline, OmitsFirstForAJobOfOneRank) {
  Attempt attempt = Failed(Exited(7));
  attempt.ranks.erase(attempt.ranks.begin());
  EXPECT_EQ(Judge(Job{}, attempt, {}).headline,
            "rank 1 (worker) on node-1 failed: exited with code 7");
}

TEST(Headline, NodeFailureUsesTheTextOfTheCause) {
  Attempt attempt = Failed({.how = ExitClass::kCouldNotStart});
  attempt.cause->rank = -1;
  attempt.cause->what = "setup hook on node-0 exited with code 1";
  EXPECT_EQ(Judge(Job{}, attempt, {}).headline, "setup hook on node-0 exited with code 1");
}

TEST(Headline, FailedFetchIsNotAMissingProgram) {
  Attempt attempt = Failed({.how = ExitClass::kNotFetched});
  attempt.cause->rank = -1;
  attempt.cause->what = "node-0 cannot fetch data_url from s3://none/: there is no such bucket";
  const Verdict verdict = Judge(Job{}, attempt, {});
  EXPECT_EQ(verdict.headline, attempt.cause->what);
  EXPECT_EQ(verdict.cause, CauseClass::kNotFetched);
  EXPECT_THAT(verdict.advice, HasSubstr("the address, the keys or the store"));
  EXPECT_FALSE(verdict.retry_makes_sense);
}

TEST(Headline, StopFromOutsidePrecedesFailuresDuringTheStop) {
  Attempt attempt = Failed(Exited(1));
  attempt.exit = ExitReport{.how = ExitClass::kTimedOut, .stopped_by = StoppedBy::kTimeLimit};
  Job job;
  job.spec.time_limit_ms = 90'000;
  const Verdict timed_out = Judge(job, attempt, {"ValueError: x"});
  EXPECT_EQ(timed_out.headline, "the job reached its time limit of " + HumanDuration(90'000));
  EXPECT_EQ(timed_out.cause, CauseClass::kTimedOut);
  EXPECT_THAT(timed_out.evidence, IsEmpty());
  EXPECT_THAT(timed_out.advice, HasSubstr("SIGUSR1"));

  attempt.exit = ExitReport{.how = ExitClass::kStopped, .stopped_by = StoppedBy::kUser};
  const Verdict stopped = Judge(job, attempt, {});
  EXPECT_EQ(stopped.headline, "the job was stopped by the user");
  EXPECT_EQ(stopped.cause, CauseClass::kStopped);
  EXPECT_THAT(stopped.advice, IsEmpty());

  attempt.exit->stopped_by = StoppedBy::kPreemption;
  const Verdict preempted = Judge(job, attempt, {});
  EXPECT_EQ(preempted.cause, CauseClass::kPreempted);
  EXPECT_TRUE(preempted.retry_makes_sense);
}

TEST(Headline, NamesTheLostNode) {
  Attempt attempt = Failed({.how = ExitClass::kLost, .detail = "its launcher died"});
  attempt.cause.reset();
  attempt.nodes[1].lost = true;
  const Verdict verdict = Judge(Job{}, attempt, {});
  EXPECT_EQ(verdict.headline, "node-1 was lost: its launcher died");
  EXPECT_EQ(verdict.cause, CauseClass::kLost);
  EXPECT_TRUE(verdict.retry_makes_sense);
}

TEST(Headline, ContainsNoControlCharacters) {
  Attempt attempt = Failed({.how = ExitClass::kCouldNotStart});
  attempt.cause->rank = -1;
  attempt.cause->what = "bad \x1b[31mthing\xff";
  EXPECT_THAT(Judge(Job{}, attempt, {}).headline, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace muster::verdict
