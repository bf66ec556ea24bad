#include "verdict/blame.h"

#include <csignal>

#include <gmock/gmock.h>

namespace muster::verdict {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

ExitReport Exited(int code) { return {.how = ExitClass::kExitCode, .code = code}; }
ExitReport Killed(int signal) { return {.how = ExitClass::kSignal, .signal = signal}; }
ExitReport Stopped() {
  return {.how = ExitClass::kStopped, .signal = SIGTERM, .stopped_by = StoppedBy::kRankFailure};
}

// Three ranks on three nodes; the last one ended first, the others as given.
Attempt Ended(ExitReport first, std::vector<ExitReport> others) {
  Attempt attempt;
  others.push_back(first);
  for (size_t rank = 0; rank < others.size(); ++rank) {
    RankInfo info;
    info.rank = info.node = int(rank);
    info.role = "worker";
    info.exit = others[rank];
    attempt.ranks.push_back(info);
    attempt.nodes.push_back(NodeStatus{.name = "node-" + std::to_string(rank)});
  }
  const int last = int(others.size()) - 1;
  attempt.cause =
      Cause{.rank = last, .node = last, .node_name = "node-" + std::to_string(last), .exit = first};
  attempt.exit = first;
  return attempt;
}

// As real ranks of Paddle 3.3 ended when another one had raised an exception.
const std::vector<std::string> kAborted = {
    "W1115 backward.cc:697] While running Node raises a std::exception: gloo::TimeoutException",
    "terminate called after throwing an instance of 'gloo::TimeoutException'",
    "  what():  [/paddle/third_party/gloo/gloo/transport/tcp/pair.cc:584] TIMEOUT self_rank = 2",
    "C++ Traceback (most recent call last):",
    "0   paddle::pybind::ThrowExceptionToPython(std::__exception_ptr::exception_ptr)",
    "Error Message Summary:",
    "FatalError: `Process abort signal` is detected by the operating system.",
    "  [TimeInfo: *** Aborted at 1794748518 (unix time) ***]"};
const std::vector<std::string> kRaised = {
    "rank 1 step 2/1000 loss: 2.1193",
    "Traceback (most recent call last):", "  File \"train.py\", line 29, in <module>",
    "    for step, x, y in run.batches():", "ValueError: the label of picture 17 is out of range"};
const std::vector<std::string> kStoppedLines = {
    "rank 0 step 2/1000 loss: 2.1193", "C++ Traceback (most recent call last):",
    "FatalError: `Termination signal` is detected by the operating system."};

Verdict JudgeAll(const Attempt& attempt, const std::vector<std::string>& first,
                 const std::vector<RankLines>& others) {
  return Judge(Job{}, attempt, first, others);
}

TEST(Blame, FallsOnTheRankThatRaisedThoughAnotherEndedFirst) {
  const Attempt attempt = Ended(Killed(SIGABRT), {Stopped(), Exited(1)});
  const Verdict verdict = JudgeAll(attempt, kAborted, {{0, kStoppedLines}, {1, kRaised}});
  EXPECT_EQ(verdict.rank, 1);
  EXPECT_EQ(verdict.cause, CauseClass::kPythonError);
  EXPECT_EQ(verdict.headline,
            "rank 1 (worker) on node-1 failed: exited with code 1; rank 2 on node-2, which ended "
            "first, had lost its peer: was killed by SIGABRT");
  EXPECT_THAT(verdict.evidence, Contains("ValueError: the label of picture 17 is out of range"));
  EXPECT_FALSE(verdict.retry_makes_sense);
}

TEST(Blame, FallsOnARankThatWasStoppedWhileItWentDown) {
  const Attempt attempt = Ended(Exited(1), {Stopped(), Stopped()});
  const Verdict verdict = JudgeAll(attempt, {"RuntimeError: Connection reset by peer"},
                                   {{0, kStoppedLines}, {1, kRaised}});
  EXPECT_EQ(verdict.rank, 1);
  EXPECT_EQ(verdict.cause, CauseClass::kPythonError);
  EXPECT_EQ(verdict.headline,
            "rank 1 (worker) on node-1 failed; rank 2 on node-2, which ended first, had lost its "
            "peer: exited with code 1");
}

TEST(Blame, FallsOnTheKilledRankBeforeAnyWords) {
  const Attempt attempt = Ended(Exited(1), {Killed(SIGKILL), Stopped()});
  const Verdict verdict = JudgeAll(attempt, kAborted, {{0, {"epoch 1"}}, {1, kRaised}});
  EXPECT_EQ(verdict.rank, 0);
  EXPECT_EQ(verdict.cause, CauseClass::kKilled);
  EXPECT_TRUE(verdict.retry_makes_sense);
}

TEST(Blame, StaysWithTheFirstWhenAllOnlyLostTheirPeers) {
  const Attempt attempt = Ended(Killed(SIGABRT), {Stopped(), Exited(1)});
  const Verdict verdict = JudgeAll(attempt, kAborted, {{0, kStoppedLines}, {1, kAborted}});
  EXPECT_EQ(verdict.rank, 2);
  EXPECT_EQ(verdict.cause, CauseClass::kConnectionLost);
  EXPECT_EQ(verdict.headline, "rank 2 (worker) on node-2 failed first: was killed by SIGABRT");
}

TEST(Blame, NeedsMoreThanALineThatLooksBad) {
  const Attempt attempt = Ended(Killed(SIGABRT), {Stopped(), Stopped()});
  const std::vector<std::string> warned{"cache: No such file or directory", "ValueError: handled",
                                        "epoch 2"};
  EXPECT_EQ(JudgeAll(attempt, kAborted, {{0, warned}, {1, kStoppedLines}}).rank, 2);
}

TEST(Blame, LooksAtNoOtherWhenTheFirstTellsACauseOfItsOwn) {
  const Attempt attempt = Ended(Exited(1), {Stopped(), Exited(1)});
  EXPECT_EQ(JudgeAll(attempt, {"KeyError: 'x'"}, {{1, kRaised}}).rank, 2);
  EXPECT_EQ(JudgeAll(Ended(Killed(SIGKILL), {Exited(1)}), kAborted, {{0, kRaised}}).rank, 1);
  EXPECT_TRUE(TellsLittle(Killed(SIGABRT), kAborted));
  EXPECT_TRUE(TellsLittle(Exited(1), {"epoch 1"}));
  EXPECT_FALSE(TellsLittle(Killed(SIGKILL), kAborted));
  EXPECT_FALSE(TellsLittle(Exited(1), kRaised));
}

TEST(Blame, FindsTheWordsThatALauncherKeptInAFile) {
  const Attempt attempt = Ended(Exited(250), {Stopped()});
  const std::vector<std::string> silent{"LAUNCH INFO 2026-11-15 Exit code 1"};
  const Verdict verdict = JudgeAll(attempt, silent, {{1, silent}, {1, kRaised}});
  EXPECT_EQ(verdict.headline, "rank 1 (worker) on node-1 failed first: exited with code 250");
  EXPECT_EQ(verdict.cause, CauseClass::kPythonError);
  EXPECT_THAT(verdict.evidence, Contains("ValueError: the label of picture 17 is out of range"));
  EXPECT_EQ(JudgeAll(attempt, kAborted, {{0, silent}, {0, kRaised}}).rank, 0);
}

TEST(Blame, LeavesASilentFailureToTheRankThatEndedFirst) {
  const Attempt attempt = Ended(Exited(3), {Stopped()});
  EXPECT_EQ(JudgeAll(attempt, {"epoch 1"}, {{0, kRaised}}).rank, 1);
}

TEST(Blame, IsNobodysWhenAUserStoppedTheJob) {
  Attempt attempt = Ended(Exited(1), {Stopped(), Exited(1)});
  attempt.exit = ExitReport{.how = ExitClass::kStopped, .stopped_by = StoppedBy::kUser};
  const Verdict verdict = JudgeAll(attempt, kAborted, {{1, kRaised}});
  EXPECT_EQ(verdict.rank, -1);
  EXPECT_THAT(verdict.evidence, IsEmpty());
}

TEST(Blame, KnowsALauncherThatWasStopped) {
  const Attempt attempt = Ended(Exited(1), {Stopped()});
  const std::vector<std::string> torchrun{
      "Traceback (most recent call last):", "  File \"/usr/bin/torchrun\", line 33, in <module>",
      "torch.distributed.elastic.multiprocessing.api.SignalException: Process 7 got signal: 15"};
  const Verdict verdict = JudgeAll(attempt, {"RuntimeError: Broken pipe"}, {{0, torchrun}});
  EXPECT_EQ(verdict.rank, 1);
  EXPECT_THAT(verdict.headline, Not(testing::HasSubstr("rank 0")));
}

TEST(Blame, ReadsATracebackThatALauncherPassedOn) {
  const Attempt attempt = Ended(Exited(1), {Stopped()});
  const std::vector<std::string> passed{"[1]<stderr>:Traceback (most recent call last):",
                                        "[0]<stdout>:rank 0 step 2/1000 loss: 2.1101",
                                        "[1]<stderr>:  File \"train.py\", line 29, in <module>",
                                        "[1]<stderr>:ValueError: x",
                                        "[2]<stderr>:RuntimeError: Horovod has been shut down.",
                                        "Process 1 exit with status 1."};
  EXPECT_EQ(JudgeAll(attempt, {"RuntimeError: Broken pipe"}, {{0, passed}}).rank, 0);
  const std::vector<std::string> tagged{"[rank0]: Traceback (most recent call last):",
                                        "[rank0]:   File \"train.py\", line 29, in <module>",
                                        "[rank0]: ValueError: x"};
  EXPECT_EQ(JudgeAll(attempt, {"RuntimeError: Broken pipe"}, {{0, tagged}}).rank, 0);
  const Verdict older = JudgeAll(attempt, {"RuntimeError: Broken pipe"}, {{1, passed}});
  EXPECT_EQ(older.rank, 1);
  EXPECT_EQ(older.cause, CauseClass::kPythonError);
}

TEST(Blame, IgnoresRanksThatTheAttemptDoesNotHave) {
  const Attempt attempt = Ended(Exited(1), {Stopped()});
  EXPECT_EQ(JudgeAll(attempt, kAborted, {{99, kRaised}}).rank, 1);
}

}  // namespace
}  // namespace muster::verdict
