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

// Three ranks on three nodes. The last rank ends first with `first`, the others with `others`.
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

// Recorded output of Paddle 3.3 ranks after another rank raised an exception.
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

TEST(Blame, RankWithExceptionIsBlamedWhenAnotherRankEndsFirst) {
  const Attempt attempt = Ended(Killed(SIGABRT), {Stopped(), Exited(1)});
  const Verdict verdict = JudgeAll(attempt, kAborted, {{0, kStoppedLines}, {1, kRaised}});
  EXPECT_EQ(verdict.rank, 1);
  EXPECT_EQ(verdict.cause, CauseClass::kPythonError);
  EXPECT_EQ(verdict.headline,
            "rank 1 (worker) on node-1 failed: ValueError: the label of picture 17 is out of range "
            "(exited with code 1); rank 2 on node-2 lost this peer and was killed by SIGABRT");
  EXPECT_THAT(verdict.evidence, Contains("ValueError: the label of picture 17 is out of range"));
  EXPECT_FALSE(verdict.retry_makes_sense);
}

TEST(Blame, RankStoppedDuringItsShutdownIsBlamedForItsException) {
  const Attempt attempt = Ended(Exited(1), {Stopped(), Stopped()});
  const Verdict verdict = JudgeAll(attempt, {"RuntimeError: Connection reset by peer"},
                                   {{0, kStoppedLines}, {1, kRaised}});
  EXPECT_EQ(verdict.rank, 1);
  EXPECT_EQ(verdict.cause, CauseClass::kPythonError);
  EXPECT_EQ(
      verdict.headline,
      "rank 1 (worker) on node-1 failed: ValueError: the label of picture 17 is out of range; "
      "rank 2 on node-2 lost this peer and exited with code 1");
}

TEST(Blame, KilledRankIsBlamedBeforeRanksWithExceptions) {
  const Attempt attempt = Ended(Exited(1), {Killed(SIGKILL), Stopped()});
  const Verdict verdict = JudgeAll(attempt, kAborted, {{0, {"epoch 1"}}, {1, kRaised}});
  EXPECT_EQ(verdict.rank, 0);
  EXPECT_EQ(verdict.cause, CauseClass::kKilled);
  EXPECT_TRUE(verdict.retry_makes_sense);
}

TEST(Blame, FirstRankIsBlamedWhenAllRanksLostConnections) {
  const Attempt attempt = Ended(Killed(SIGABRT), {Stopped(), Exited(1)});
  const Verdict verdict = JudgeAll(attempt, kAborted, {{0, kStoppedLines}, {1, kAborted}});
  EXPECT_EQ(verdict.rank, 2);
  EXPECT_EQ(verdict.cause, CauseClass::kConnectionLost);
  EXPECT_EQ(verdict.headline,
            "rank 2 (worker) on node-2 failed first: what():  "
            "[/paddle/third_party/gloo/gloo/transport/tcp/pair.cc:584] TIMEOUT self_rank = 2 "
            "(was killed by SIGABRT)");
}

TEST(Blame, ErrorLineWithoutTracebackIsNotEnough) {
  const Attempt attempt = Ended(Killed(SIGABRT), {Stopped(), Stopped()});
  const std::vector<std::string> warned{"cache: No such file or directory", "ValueError: handled",
                                        "epoch 2"};
  EXPECT_EQ(JudgeAll(attempt, kAborted, {{0, warned}, {1, kStoppedLines}}).rank, 2);
}

TEST(Blame, OtherLogsAreIgnoredWhenTheFirstRankShowsACause) {
  const Attempt attempt = Ended(Exited(1), {Stopped(), Exited(1)});
  EXPECT_EQ(JudgeAll(attempt, {"KeyError: 'x'"}, {{1, kRaised}}).rank, 2);
  EXPECT_EQ(JudgeAll(Ended(Killed(SIGKILL), {Exited(1)}), kAborted, {{0, kRaised}}).rank, 1);
  EXPECT_TRUE(NeedsOtherLogs(Killed(SIGABRT), kAborted));
  EXPECT_TRUE(NeedsOtherLogs(Exited(1), {"epoch 1"}));
  EXPECT_FALSE(NeedsOtherLogs(Killed(SIGKILL), kAborted));
  EXPECT_FALSE(NeedsOtherLogs(Exited(1), kRaised));
}

TEST(Blame, ExceptionInLogFileOfPaddleLauncherIsFound) {
  const Attempt attempt = Ended(Exited(250), {Stopped()});
  const std::vector<std::string> silent{"LAUNCH INFO 2026-11-15 Exit code 1"};
  const Verdict verdict = JudgeAll(attempt, silent, {{1, silent}, {1, kRaised}});
  EXPECT_EQ(verdict.headline,
            "rank 1 (worker) on node-1 failed first: ValueError: the label of picture 17 is out of "
            "range (exited with code 250)");
  EXPECT_EQ(verdict.cause, CauseClass::kPythonError);
  EXPECT_THAT(verdict.evidence, Contains("ValueError: the label of picture 17 is out of range"));
  EXPECT_EQ(JudgeAll(attempt, kAborted, {{0, silent}, {0, kRaised}}).rank, 0);
}

TEST(Blame, FailureWithoutKnownOutputStaysWithTheFirstRank) {
  const Attempt attempt = Ended(Exited(3), {Stopped()});
  EXPECT_EQ(JudgeAll(attempt, {"epoch 1"}, {{0, kRaised}}).rank, 1);
}

TEST(Blame, NoRankIsBlamedWhenTheUserStoppedTheJob) {
  Attempt attempt = Ended(Exited(1), {Stopped(), Exited(1)});
  attempt.exit = ExitReport{.how = ExitClass::kStopped, .stopped_by = StoppedBy::kUser};
  const Verdict verdict = JudgeAll(attempt, kAborted, {{1, kRaised}});
  EXPECT_EQ(verdict.rank, -1);
  EXPECT_THAT(verdict.evidence, IsEmpty());
}

TEST(Blame, TracebackOfStoppedTorchrunIsIgnored) {
  const Attempt attempt = Ended(Exited(1), {Stopped()});
  const std::vector<std::string> torchrun{
      "Traceback (most recent call last):", "  File \"/usr/bin/torchrun\", line 33, in <module>",
      "torch.distributed.elastic.multiprocessing.api.SignalException: Process 7 got signal: 15"};
  const Verdict verdict = JudgeAll(attempt, {"RuntimeError: Broken pipe"}, {{0, torchrun}});
  EXPECT_EQ(verdict.rank, 1);
  EXPECT_THAT(verdict.headline, Not(testing::HasSubstr("rank 0")));
}

TEST(Blame, TracebackWithLauncherPrefixesIsFound) {
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

TEST(Blame, LogsOfUnknownRanksAreIgnored) {
  const Attempt attempt = Ended(Exited(1), {Stopped()});
  EXPECT_EQ(JudgeAll(attempt, kAborted, {{99, kRaised}}).rank, 1);
}

// Two ranks of one role: rank 0 exits with code 0 at second 5, rank 1 fails at `failed_ms`.
Attempt LeftEarly(int64_t failed_ms) {
  Attempt attempt = Ended(Exited(1), {{.how = ExitClass::kSucceeded}});
  attempt.ranks[0].ended_ms = 5'000;
  attempt.ranks[1].ended_ms = failed_ms;
  return attempt;
}

TEST(EarlyLeaver, RankThatEndedWithCodeZeroIsNamed) {
  const std::vector<std::string> lost{"RuntimeError: Connection closed by peer [127.0.0.1]:4"};
  const Verdict verdict = JudgeAll(LeftEarly(6'000), lost, {{0, {"step 5/100"}}});
  EXPECT_EQ(verdict.rank, 0);
  EXPECT_EQ(verdict.cause, CauseClass::kLeftEarly);
  EXPECT_EQ(verdict.headline,
            "rank 0 (worker) on node-0 ended with code 0 before the other ranks; rank 1 on node-1 "
            "then lost its peer: RuntimeError: Connection closed by peer [127.0.0.1]:4 (exited "
            "with code 1)");
  EXPECT_THAT(verdict.advice, testing::HasSubstr("same number of steps"));
}

TEST(EarlyLeaver, CollectiveTimeoutNamesTheRankThatEnded) {
  const std::vector<std::string> timeout{
      "[rank1]: [PG 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)"};
  EXPECT_EQ(JudgeAll(LeftEarly(6'000), timeout, {}).rank, 0);
}

TEST(EarlyLeaver, OtherCausesStayWithTheFailedRank) {
  EXPECT_EQ(JudgeAll(LeftEarly(6'000), {"ValueError: x"}, {}).rank, 1);
  EXPECT_EQ(JudgeAll(LeftEarly(6'000), {"epoch 1"}, {}).rank, 1);
}

TEST(EarlyLeaver, RankThatEndedLaterIsNotNamed) {
  EXPECT_EQ(JudgeAll(LeftEarly(4'000), {"Connection closed by peer"}, {}).rank, 1);
}

TEST(EarlyLeaver, RankOfAnotherRoleIsNotNamed) {
  Attempt attempt = LeftEarly(6'000);
  attempt.ranks[0].role = "ps";
  EXPECT_EQ(JudgeAll(attempt, {"Connection closed by peer"}, {}).rank, 1);
}

}  // namespace
}  // namespace muster::verdict
