#include "launcher/rank_end.h"

#include <csignal>

#include <gtest/gtest.h>

namespace muster::launcher {
namespace {

constexpr int Exited(int code) { return code << 8; }

ExitReport Judge(int status, const EndContext& context) {
  return JudgeEnd({.pid = 1, .wait_status = status, .cpu_ms = 7, .peak_rss = 9}, context);
}

TEST(RankEndTest, RanksThatEndByThemselvesKeepTheirReport) {
  EXPECT_EQ(Judge(Exited(0), {}).how, ExitClass::kSucceeded);
  EXPECT_EQ(Judge(Exited(3), {}).how, ExitClass::kExitCode);
  EXPECT_EQ(Judge(SIGSEGV, {}).how, ExitClass::kSignal);
  EXPECT_EQ(Judge(Exited(3), {}).cpu_ms, 7);
  EXPECT_EQ(Judge(Exited(3), {}).peak_rss, 9);
}

TEST(RankEndTest, EndAfterAStopIsStoppedWithCodeOrSignal) {
  const auto coded = Judge(Exited(3), {.stopping = StoppedBy::kPreemption});
  EXPECT_EQ(coded.how, ExitClass::kStopped);
  EXPECT_EQ(coded.stopped_by, StoppedBy::kPreemption);
  EXPECT_EQ(coded.code, 3);
  const auto killed = Judge(SIGKILL, {.stopping = StoppedBy::kUser, .oom_kill = true});
  EXPECT_EQ(killed.how, ExitClass::kStopped);
  EXPECT_EQ(killed.signal, SIGKILL);
}

TEST(RankEndTest, EndAfterTheTimeLimitIsTimedOut) {
  const auto report = Judge(SIGTERM, {.stopping = StoppedBy::kTimeLimit});
  EXPECT_EQ(report.how, ExitClass::kTimedOut);
  EXPECT_EQ(report.stopped_by, StoppedBy::kTimeLimit);
}

TEST(RankEndTest, KillWithIncreasedOomCounterIsOutOfMemory) {
  EXPECT_EQ(Judge(SIGKILL, {.oom_kill = true}).how, ExitClass::kOutOfMemory);
  EXPECT_EQ(Judge(SIGKILL, {}).how, ExitClass::kSignal);
  EXPECT_EQ(Judge(SIGSEGV, {.oom_kill = true}).how, ExitClass::kSignal);
}

TEST(RankEndTest, ShellWithKilledChildIsOutOfMemory) {
  const auto report = Judge(Exited(137), {.oom_kill = true});
  EXPECT_EQ(report.how, ExitClass::kOutOfMemory);
  EXPECT_EQ(report.signal, SIGKILL);
  EXPECT_EQ(Judge(Exited(137), {}).how, ExitClass::kExitCode);
}

TEST(RankEndTest, DeathByTheWarningSignalIsTimedOut) {
  const auto report = Judge(SIGUSR1, {.warning_signal = SIGUSR1});
  EXPECT_EQ(report.how, ExitClass::kTimedOut);
  EXPECT_EQ(report.stopped_by, StoppedBy::kTimeLimit);
  EXPECT_EQ(Judge(SIGUSR2, {.warning_signal = SIGUSR1}).how, ExitClass::kSignal);
  EXPECT_EQ(Judge(SIGUSR1, {}).how, ExitClass::kSignal);
}

TEST(RankEndTest, OutOfMemoryAndSignalsPrecedeExitCodesAsCause) {
  const int memory = CauseOrder(Judge(SIGKILL, {.oom_kill = true}));
  const int signal = CauseOrder(Judge(SIGSEGV, {}));
  const int code = CauseOrder(Judge(Exited(1), {}));
  const int well = CauseOrder(Judge(Exited(0), {}));
  EXPECT_LT(memory, signal);
  EXPECT_LT(signal, code);
  EXPECT_LT(code, well);
}

}  // namespace
}  // namespace muster::launcher
