// Real launchers and real programs: how nodes are stopped, and that no process is left.

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "launcher/launch_bench.h"
#include "os/process_table.h"
#include "os/sweep.h"

namespace muster::launcher {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr char kForever[] = "echo ready; exec sleep 1000";
constexpr char kDeaf[] = "trap '' TERM; echo ready; while :; do sleep 1000; done";
// A classic daemon: separate session, orphaned, ignores TERM.
constexpr char kDaemon[] =
    "(setsid sh -c 'trap \"\" TERM; echo daemon; while :; do sleep 1000; done' &); ";

void ExpectCleanEnd(LaunchBench& bench, int node) {
  EXPECT_EQ(bench.WaitLauncher(node), 0);
  const auto record = bench.Record(node);
  ASSERT_FALSE(Lines<NodeClean>(record).empty());
  EXPECT_EQ(Lines<NodeClean>(record).back().left, 0);
  EXPECT_TRUE(std::holds_alternative<LauncherEnded>(record.back().body));
  EXPECT_EQ(bench.Marked(node), 0);
}

void LaunchReady(LaunchBench& bench, const NodeOrder& order) {
  bench.Launch(order);
  for (const auto& rank : order.ranks)
    bench.WaitText(order.node, fmt::format("rank{}.log", rank.rank), "ready");
}

TEST(LauncherStopTest, UserStopEndsRanksAndRecordsTheReason) {
  LaunchBench bench;
  LaunchReady(
      bench,
      bench.Order(0, {kForever, "trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done"}));
  bench.Tell({StoppedBy::kUser, -1, -1, "muster stop", -1});
  ExpectCleanEnd(bench, 0);
  const auto record = bench.Record(0);
  ASSERT_EQ(Lines<StopBegan>(record).size(), 1u);
  EXPECT_EQ(Lines<StopBegan>(record)[0].by, StoppedBy::kUser);
  EXPECT_EQ(Lines<StopBegan>(record)[0].detail, "muster stop");
  EXPECT_EQ(EndOf(record, 0).how, ExitClass::kStopped);
  EXPECT_EQ(EndOf(record, 0).stopped_by, StoppedBy::kUser);
  EXPECT_EQ(EndOf(record, 0).signal, SIGTERM);
  EXPECT_EQ(EndOf(record, 1).how, ExitClass::kStopped);
  EXPECT_EQ(EndOf(record, 1).code, 9);
  EXPECT_TRUE(Lines<NodeFailed>(record).empty());
  EXPECT_FALSE(Lines<LauncherEnded>(record)[0].failed);
}

TEST(LauncherStopTest, StopBeforeTheLauncherStartsPreventsTheStart) {
  LaunchBench bench;
  bench.Tell({StoppedBy::kUser, -1, -1, "", -1});
  bench.Launch(bench.Order(0, {"echo never"}));
  ExpectCleanEnd(bench, 0);
  EXPECT_TRUE(Lines<RankStarted>(bench.Record(0)).empty());
}

TEST(LauncherStopTest, BadControlLinesAreSkipped) {
  LaunchBench bench;
  LaunchReady(bench, bench.Order(0, {kForever}));
  const auto control = os::Open(bench.attempt_dir() / "control", O_WRONLY | O_CREAT | O_APPEND);
  ASSERT_TRUE(control);
  ASSERT_TRUE(os::WriteAll(control->get(), "00000000 {\"by\":\"user\"}\nnonsense\n\n"));
  bench.Tell({StoppedBy::kPreemption, -1, -1, "", -1});
  ExpectCleanEnd(bench, 0);
  EXPECT_EQ(EndOf(bench.Record(0), 0).stopped_by, StoppedBy::kPreemption);
}

TEST(LauncherStopTest, RankThatIgnoresTermIsKilledAfterTheGracePeriod) {
  LaunchBench bench;
  auto order = bench.Order(0, {kDeaf});
  order.grace_ms = 300;
  LaunchReady(bench, order);
  bench.Tell({StoppedBy::kUser, -1, -1, "", -1});
  ExpectCleanEnd(bench, 0);
  const auto record = bench.Record(0);
  EXPECT_EQ(EndOf(record, 0).how, ExitClass::kStopped);
  EXPECT_EQ(EndOf(record, 0).signal, SIGKILL);
  EXPECT_GE(Lines<NodeClean>(record)[0].killed, 1);
  EXPECT_THAT(Lines<NodeClean>(record)[0].names, Contains("sh"));
}

TEST(LauncherStopTest, SecondStopMayShortenTheGracePeriod) {
  LaunchBench bench;
  auto order = bench.Order(0, {kDeaf});
  order.grace_ms = 3'600'000;
  LaunchReady(bench, order);
  bench.Tell({StoppedBy::kUser, -1, -1, "", -1});
  bench.WaitFor<StopBegan>(0);
  bench.Tell({StoppedBy::kUser, -1, -1, "", 0});
  ExpectCleanEnd(bench, 0);
}

TEST(LauncherStopTest, StoppedProcessIsContinuedToReceiveTerm) {
  LaunchBench bench;
  auto order = bench.Order(0, {"echo ready; kill -STOP $$; sleep 1000"});
  order.grace_ms = 3'600'000;
  LaunchReady(bench, order);
  bench.Tell({StoppedBy::kUser, -1, -1, "", -1});
  ExpectCleanEnd(bench, 0);
  EXPECT_EQ(EndOf(bench.Record(0), 0).signal, SIGTERM);
}

// The shell exits on TERM immediately; its child may use the whole grace period.
TEST(LauncherStopTest, GracePeriodAppliesToTheWholeProcessGroup) {
  LaunchBench bench;
  auto order = bench.Order(0, {"sh -c 'trap \"sleep 0.3; echo saved; exit 0\" TERM; echo ready; "
                               "while :; do sleep 0.05; done'"
                               "; echo after"});
  LaunchReady(bench, order);
  bench.Tell({StoppedBy::kUser, -1, -1, "", -1});
  ExpectCleanEnd(bench, 0);
  EXPECT_THAT(bench.Text(0, "rank0.log"), HasSubstr("saved"));
  EXPECT_EQ(Lines<NodeClean>(bench.Record(0))[0].killed, 0);
}

TEST(LauncherStopTest, DaemonsInOtherSessionsAreFoundAndKilled) {
  LaunchBench bench;
  auto order = bench.Order(0, {std::string(kDaemon) + kForever});
  order.grace_ms = 200;
  LaunchReady(bench, order);
  bench.WaitText(0, "rank0.log", "daemon");
  bench.Tell({StoppedBy::kUser, -1, -1, "", -1});
  ExpectCleanEnd(bench, 0);
  EXPECT_GE(Lines<NodeClean>(bench.Record(0))[0].killed, 1);
}

TEST(LauncherStopTest, DaemonsOfASuccessfulRankAreKilled) {
  LaunchBench bench;
  bench.Launch(bench.Order(0, {std::string(kDaemon) + "exec env -i sh -c 'sleep 0.2'"}));
  ExpectCleanEnd(bench, 0);
  const auto record = bench.Record(0);
  EXPECT_EQ(EndOf(record, 0).how, ExitClass::kSucceeded);
  EXPECT_GE(Lines<NodeClean>(record)[0].found, 1);
  EXPECT_GE(Lines<NodeClean>(record)[0].killed, 1);
  EXPECT_FALSE(Lines<LauncherEnded>(record)[0].failed);
}

TEST(LauncherStopTest, DaemonWithAClearedEnvironmentIsFound) {
  LaunchBench bench;
  auto order = bench.Order(0, {"(env -i setsid sleep 1000 &); sleep 0.2"});
  bench.Launch(order);
  ExpectCleanEnd(bench, 0);
  EXPECT_THAT(Lines<NodeClean>(bench.Record(0))[0].names, Contains("sleep"));
}

TEST(LauncherStopTest, FirstFailureStopsTheOtherRanksAndIsTheCause) {
  LaunchBench bench;
  auto order = bench.Order(0, {kDeaf, "until test -s ../rank0.log; do sleep 0.01; done; exit 5"});
  order.hooks.on_failure = "echo failed on purpose";
  order.hooks.on_stop = "echo must not run";
  order.grace_ms = 120'000;  // not used after a failure
  const SystemClock clock;
  bench.Launch(order);
  bench.WaitFor<NodeFailed>(0);
  const int64_t failed_ms = clock.SteadyMs();
  bench.WaitFor<NodeClean>(0);
  EXPECT_LT(clock.SteadyMs() - failed_ms, 60'000);
  ExpectCleanEnd(bench, 0);
  const auto record = bench.Record(0);
  const auto failed = Lines<NodeFailed>(record);
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].rank, 1);
  EXPECT_EQ(failed[0].exit.code, 5);
  EXPECT_EQ(EndOf(record, 1).how, ExitClass::kExitCode);
  EXPECT_EQ(EndOf(record, 0).how, ExitClass::kStopped);
  EXPECT_EQ(EndOf(record, 0).stopped_by, StoppedBy::kRankFailure);
  EXPECT_EQ(bench.Text(0, "hooks.log"), "--- on_failure\nfailed on purpose\n");
}

TEST(LauncherStopTest, FailureOnOneNodeStopsTheOtherNode) {
  LaunchBench bench;
  LaunchReady(bench, bench.Order(0, {kForever}, 2));
  bench.Launch(bench.Order(1, {"exit 6"}, 2));
  ExpectCleanEnd(bench, 1);
  ExpectCleanEnd(bench, 0);
  const auto fallen = bench.Record(0);
  EXPECT_TRUE(Lines<NodeFailed>(fallen).empty());
  EXPECT_EQ(EndOf(fallen, 0).stopped_by, StoppedBy::kRankFailure);
  EXPECT_EQ(Lines<StopBegan>(fallen)[0].detail, "rank 1 on node-1 exited with code 6");
  const auto control = DecodeControl(os::ReadFile(bench.attempt_dir() / "control").value_or(""));
  ASSERT_TRUE(control);
  ASSERT_EQ(control->lines.size(), 1u);
  EXPECT_EQ(control->lines[0].node, 1);
  EXPECT_EQ(control->lines[0].rank, 1);
}

TEST(LauncherStopTest, FailureInTheControlFileIsNotRepeated) {
  LaunchBench bench;
  auto order = bench.Order(0, {"exit 6"}, 2);
  order.hooks.setup = "printf '' > entered; until test -e go; do sleep 0.01; done";
  bench.Launch(order);
  bench.WaitText(0, "hooks.log", "setup");
  bench.Tell({StoppedBy::kRankFailure, 1, 4, "rank 4 failed first", -1});
  ExpectCleanEnd(bench, 0);
  const auto control = DecodeControl(os::ReadFile(bench.attempt_dir() / "control").value_or(""));
  ASSERT_TRUE(control);
  EXPECT_EQ(control->lines.size(), 1u);
  EXPECT_TRUE(Lines<RankStarted>(bench.Record(0)).empty()) << "a stop during setup starts nothing";
}

TEST(LauncherStopTest, TimeLimitWarnsThenStopsAsTimedOut) {
  LaunchBench bench;
  auto order = bench.Order(0, {"trap 'echo warned' USR1; while :; do sleep 0.02; done"});
  order.time_limit_ms = 3000;
  order.warning_ms = 2000;  // time to handle the signal, and before it time to set the trap
  order.warning_signal = "USR1";
  order.hooks.on_failure = "echo too late";
  bench.Launch(order);
  ExpectCleanEnd(bench, 0);
  const auto record = bench.Record(0);
  ASSERT_EQ(Lines<WarningSent>(record).size(), 1u);
  EXPECT_EQ(Lines<WarningSent>(record)[0].signal, "SIGUSR1");
  EXPECT_EQ(Lines<WarningSent>(record)[0].left_ms, 2000);
  EXPECT_THAT(bench.Text(0, "rank0.log"), HasSubstr("warned"));
  EXPECT_EQ(EndOf(record, 0).how, ExitClass::kTimedOut);
  EXPECT_EQ(EndOf(record, 0).stopped_by, StoppedBy::kTimeLimit);
  EXPECT_EQ(Lines<StopBegan>(record)[0].by, StoppedBy::kTimeLimit);
  EXPECT_TRUE(Lines<LauncherEnded>(record)[0].failed);
  EXPECT_THAT(bench.Text(0, "hooks.log"), HasSubstr("too late"));
}

TEST(LauncherStopTest, WarningDoesNotKillARankWithoutAHandler) {
  LaunchBench bench;
  auto order = bench.Order(0, {"exec sleep 1000"});
  order.time_limit_ms = 400;
  order.warning_ms = 300;
  order.warning_signal = "USR1";
  bench.Launch(order);
  ExpectCleanEnd(bench, 0);
  EXPECT_EQ(Lines<WarningSent>(bench.Record(0)).size(), 1u);
  EXPECT_EQ(EndOf(bench.Record(0), 0).how, ExitClass::kTimedOut);
  EXPECT_EQ(EndOf(bench.Record(0), 0).signal, SIGTERM);
}

TEST(LauncherStopTest, StopHookRunsBeforeRanksReceiveTerm) {
  LaunchBench bench;
  auto order =
      bench.Order(0, {"trap 'echo asked; exit 0' TERM; echo ready; while :; do sleep 0.02; done"});
  order.hooks.on_stop = "echo hook >> ../rank0.log";
  LaunchReady(bench, order);
  bench.Tell({StoppedBy::kPreemption, -1, -1, "", -1});
  ExpectCleanEnd(bench, 0);
  const auto text = bench.Text(0, "rank0.log");
  EXPECT_LT(text.find("hook"), text.find("asked"));
  EXPECT_NE(text.find("asked"), std::string::npos);
}

TEST(LauncherStopTest, HangingStopHookIsKilledAfterTheGracePeriod) {
  LaunchBench bench;
  auto order = bench.Order(0, {kForever});
  order.hooks.on_stop = "trap '' TERM; sleep 1000";
  order.grace_ms = 200;
  LaunchReady(bench, order);
  bench.Tell({StoppedBy::kUser, -1, -1, "", -1});
  ExpectCleanEnd(bench, 0);
}

TEST(LauncherStopTest, DaemonOfTheFailureHookIsKilled) {
  LaunchBench bench;
  auto order = bench.Order(0, {"exit 1"});
  order.hooks.on_failure = "(setsid sleep 1000 &); exit 0";
  bench.Launch(order);
  ExpectCleanEnd(bench, 0);
}

TEST(LauncherStopTest, FailureHookIsNotInterruptedByOtherNodes) {
  LaunchBench bench;
  auto order = bench.Order(0, {"exit 1"}, 2);
  order.hooks.on_failure = "echo begun; sleep 0.3; echo done";
  bench.Launch(order);
  bench.WaitText(0, "hooks.log", "begun");
  bench.Tell({StoppedBy::kTimeLimit, 1, -1, "", -1});
  ExpectCleanEnd(bench, 0);
  EXPECT_EQ(bench.Text(0, "hooks.log"), "--- on_failure\nbegun\ndone\n");
}

TEST(LauncherStopTest, FailureHookIsInterruptedByAStop) {
  LaunchBench bench;
  auto order = bench.Order(0, {"exit 1"});
  order.hooks.on_failure = "echo begun; exec sleep 1000";
  bench.Launch(order);
  bench.WaitText(0, "hooks.log", "begun");
  bench.Tell({StoppedBy::kUser, -1, -1, "", -1});
  ExpectCleanEnd(bench, 0);
}

TEST(LauncherStopTest, ServiceRanksEndAfterTheWorkingRanks) {
  LaunchBench bench;
  auto order = bench.Order(0, {"until test -s ../rank1.log; do sleep 0.01; done", kForever});
  order.ranks[1].service = true;
  order.ranks[1].role = "ps";
  bench.Launch(order);
  ExpectCleanEnd(bench, 0);
  const auto record = bench.Record(0);
  EXPECT_EQ(EndOf(record, 0).how, ExitClass::kSucceeded);
  EXPECT_EQ(EndOf(record, 1).stopped_by, StoppedBy::kRoleEnd);
  EXPECT_FALSE(Lines<LauncherEnded>(record)[0].failed);
}

TEST(LauncherStopTest, NodeOfServiceRanksWaitsForTheServer) {
  LaunchBench bench;
  auto order = bench.Order(0, {kForever}, 2);
  order.ranks[0].service = true;
  LaunchReady(bench, order);
  bench.Tell({StoppedBy::kRoleEnd, -1, -1, "", -1});
  ExpectCleanEnd(bench, 0);
  EXPECT_EQ(EndOf(bench.Record(0), 0).stopped_by, StoppedBy::kRoleEnd);
}

TEST(LauncherStopTest, RoleEndDoesNotStopWorkingRanks) {
  LaunchBench bench;
  LaunchReady(bench, bench.Order(0, {kForever}, 2));
  bench.Tell({StoppedBy::kRoleEnd, -1, -1, "", -1});
  bench.Tell({StoppedBy::kUser, -1, -1, "", -1});
  ExpectCleanEnd(bench, 0);
  EXPECT_EQ(EndOf(bench.Record(0), 0).stopped_by, StoppedBy::kUser);
}

TEST(LauncherStopTest, TermToTheLauncherIsAUserStop) {
  LaunchBench bench;
  LaunchReady(bench, bench.Order(0, {kForever}));
  for (const int harmless : {SIGHUP, SIGINT, SIGPIPE}) kill(bench.launcher(0), harmless);
  kill(bench.launcher(0), SIGTERM);
  ExpectCleanEnd(bench, 0);
  EXPECT_EQ(EndOf(bench.Record(0), 0).stopped_by, StoppedBy::kUser);
}

TEST(LauncherStopTest, RanksOfAKilledLauncherLiveUntilTheSweep) {
  LaunchBench bench;
  auto order = bench.Order(0, {std::string(kDaemon) + kDeaf, kForever});
  LaunchReady(bench, order);
  bench.WaitText(0, "rank0.log", "daemon");
  const auto began = Lines<LauncherBegan>(bench.Record(0))[0];
  bench.KillLauncher(0);
  EXPECT_FALSE(os::IsLocked(bench.NodeDir(0) / "record"));
  EXPECT_GE(bench.Marked(0), 3);
  const auto result = os::SweepNow(os::NodeGroupName(order.job, order.attempt, 0, order.token),
                                   os::NodeMark(order.token, 0), 10'000);
  EXPECT_EQ(result.left, 0);
  EXPECT_GE(result.killed, 3);
  EXPECT_EQ(bench.Marked(0), 0);
}

TEST(LauncherStopTest, SweepOfOneNodeDoesNotAffectTheOther) {
  LaunchBench bench;
  LaunchReady(bench, bench.Order(0, {kForever}, 2));
  LaunchReady(bench, bench.Order(1, {kForever}, 2));
  kill(bench.launcher(0), SIGTERM);
  ExpectCleanEnd(bench, 0);
  EXPECT_GE(bench.Marked(1), 1);
  bench.Tell({StoppedBy::kUser, -1, -1, "", -1});
  ExpectCleanEnd(bench, 1);
}

}  // namespace
}  // namespace muster::launcher
