// Real launchers and real programs: how ranks start, run and end.

#include "launcher/launcher.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launcher/launch_bench.h"
#include "os/cgroup.h"
#include "os/devices.h"
#include "os/testing/cgroup_probe.h"
#include "os/testing/mount_probe.h"

namespace muster::launcher {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// Every record ends with the cleanup proof and the final line.
void ExpectProven(const std::vector<RecordLine>& record) {
  ASSERT_GE(record.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<LauncherBegan>(record.front().body));
  EXPECT_TRUE(std::holds_alternative<LauncherEnded>(record.back().body));
  const auto clean = Lines<NodeClean>(record);
  ASSERT_FALSE(clean.empty());
  EXPECT_EQ(clean.back().left, 0);
}

TEST(LauncherTest, SuccessfulRankIsRecordedFromStartToProof) {
  LaunchBench bench;
  const auto record = bench.RunToEnd({"echo hello; echo error >&2"});
  ExpectProven(record);
  EXPECT_EQ(EndOf(record, 0).how, ExitClass::kSucceeded);
  EXPECT_FALSE(Lines<LauncherEnded>(record)[0].failed);
  EXPECT_TRUE(Lines<NodeFailed>(record).empty());
  EXPECT_TRUE(Lines<StopBegan>(record).empty());
  EXPECT_EQ(bench.Text(0, "rank0.log"), "hello\nerror\n");
  EXPECT_EQ(Lines<NodeClean>(record)[0].found, 0);
  EXPECT_GT(Lines<RankStarted>(record)[0].start_ticks, 0u);
}

TEST(LauncherTest, RanksLeadSessionsIfEachHasAProcessor) {
  const std::string script = "cut -d' ' -f6 /proc/$$/stat | sed \"s/^$$$/own/\"";
  const auto processors = size_t(os::CpuCount());
  for (const size_t ranks : {size_t{1}, processors, processors + 1}) {
    LaunchBench bench;
    ExpectProven(bench.RunToEnd(std::vector<std::string>(ranks, script)));
    std::set<std::string> sessions;
    for (size_t i = 0; i < ranks; ++i) sessions.insert(bench.Text(0, fmt::format("rank{}.log", i)));
    EXPECT_EQ(sessions.size(), 1u);
    EXPECT_EQ(*sessions.begin() == "own\n", ranks > 1 && ranks <= processors);
  }
}

TEST(LauncherTest, ExitCodesAreRecordedExactly) {
  for (const int code : {1, 2, 77, 126, 127, 128, 137, 255}) {
    LaunchBench bench;
    const auto record = bench.RunToEnd({fmt::format("exit {}", code)});
    ExpectProven(record);
    EXPECT_EQ(EndOf(record, 0).how, ExitClass::kExitCode);
    EXPECT_EQ(EndOf(record, 0).code, code);
    ASSERT_EQ(Lines<NodeFailed>(record).size(), 1u);
    EXPECT_EQ(Lines<NodeFailed>(record)[0].what,
              fmt::format("rank 0 on node-0 exited with code {}", code));
  }
}

TEST(LauncherTest, SignalsDifferFromExitCodes) {
  for (const int signal : {SIGKILL, SIGSEGV, SIGTERM, SIGABRT}) {
    LaunchBench bench;
    const auto record = bench.RunToEnd({fmt::format("kill -{} $$", signal)});
    EXPECT_EQ(EndOf(record, 0).how, ExitClass::kSignal);
    EXPECT_EQ(EndOf(record, 0).signal, signal);
  }
}

TEST(LauncherTest, ProgramThatCannotBeExecutedHasNoExitCode) {
  LaunchBench bench;
  auto order = bench.Order(0, {"echo first", "exit 0", "echo third"});
  order.ranks[1].argv = {"/nowhere/program"};
  bench.Launch(order);
  EXPECT_EQ(bench.WaitLauncher(0), 0);
  const auto record = bench.Record(0);
  ExpectProven(record);
  const auto end = EndOf(record, 1);
  EXPECT_EQ(end.how, ExitClass::kCouldNotStart);
  EXPECT_THAT(end.detail, HasSubstr("/nowhere/program"));
  EXPECT_EQ(Lines<NodeFailed>(record)[0].rank, 1);
  EXPECT_EQ(Lines<RankStarted>(record).size(), 1u) << "ranks behind the failed one must not start";
  EXPECT_TRUE(Lines<LauncherEnded>(record)[0].failed);
}

TEST(LauncherTest, MissingWorkingDirectoryIsTheCause) {
  LaunchBench bench;
  auto order = bench.Order(0, {"true"});
  order.ranks[0].cwd = "/nowhere/at/all";
  bench.Launch(order);
  bench.WaitLauncher(0);
  const auto end = EndOf(bench.Record(0), 0);
  EXPECT_EQ(end.how, ExitClass::kCouldNotStart);
  EXPECT_THAT(end.detail, HasSubstr("/nowhere/at/all"));
}

TEST(LauncherTest, RankHasItsEnvironmentWithoutServerSecrets) {
  LaunchBench bench;
  setenv("MUSTER_TOKEN", "secret-of-a-client", 1);
  setenv("PLAIN", "inherited", 1);
  auto order = bench.Order(0, {"env; ulimit -c; ulimit -Sn; ulimit -Hn"});
  order.ranks[0].env.emplace_back("COLOUR", "blue green");
  bench.Launch(order);
  unsetenv("MUSTER_TOKEN");
  unsetenv("PLAIN");
  bench.WaitLauncher(0);
  const auto text = bench.Text(0, "rank0.log");
  EXPECT_THAT(text, HasSubstr("COLOUR=blue green\n"));
  EXPECT_THAT(text, HasSubstr("PLAIN=inherited\n"));
  EXPECT_THAT(text, HasSubstr("MUSTER_NODE_MARK=" + order.token + ".0\n"));
  EXPECT_THAT(text, HasSubstr("MUSTER_ATTEMPT_DIR=" + bench.attempt_dir().string()));
  EXPECT_THAT(text, Not(HasSubstr("secret-of-a-client")));
}

TEST(LauncherTest, CodeFilesAndFoldersExistBeforeTheRanks) {
  LaunchBench bench;
  const auto code = bench.attempt_dir() / "snapshot";
  ASSERT_TRUE(os::MakeDirs(code / "deep"));
  ASSERT_TRUE(os::WriteFileAtomic(code / "deep/a.txt", "from code\n"));
  auto order = bench.Order(0, {"cat deep/a.txt ../table; test -d ../out && echo folder"});
  order.code_dir = code;
  order.ranks[0].cwd = order.work_dir + "/code";
  order.folders = {order.work_dir + "/out"};
  order.files = {{order.work_dir + "/table", "from file\n", 0600}};
  bench.Launch(order);
  bench.WaitLauncher(0);
  EXPECT_EQ(bench.Text(0, "rank0.log"), "from code\nfrom file\nfolder\n");
  const auto staged = Lines<StageDone>(bench.Record(0));
  ASSERT_EQ(staged.size(), 1u);
  EXPECT_EQ(staged[0].files, 2);
  EXPECT_EQ(staged[0].bytes, 20);
  struct stat info{};
  ASSERT_EQ(stat((order.work_dir + "/table").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(LauncherTest, EachRankHasACopyOfTheCodeIfOrdered) {
  LaunchBench bench;
  const auto code = bench.attempt_dir() / "snapshot";
  ASSERT_TRUE(os::MakeDirs(code));
  ASSERT_TRUE(os::WriteFileAtomic(code / "a", "x"));
  auto order = bench.Order(0, {"echo >> a; wc -c < a", "echo >> a; wc -c < a"});
  order.code_dir = code;
  order.code_per_rank = true;
  for (auto& rank : order.ranks) rank.cwd = fmt::format("{}/rank{}", order.work_dir, rank.rank);
  bench.Launch(order);
  bench.WaitLauncher(0);
  EXPECT_EQ(bench.Text(0, "rank0.log"), "2\n");
  EXPECT_EQ(bench.Text(0, "rank1.log"), "2\n");
}

TEST(LauncherTest, FailedStagingIsAStartFailureOfTheNode) {
  LaunchBench bench;
  auto order = bench.Order(0, {"true"});
  order.code_dir = "/nowhere/snapshot";
  bench.Launch(order);
  EXPECT_EQ(bench.WaitLauncher(0), 0);
  const auto record = bench.Record(0);
  ExpectProven(record);
  const auto failed = Lines<NodeFailed>(record);
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].rank, -1);
  EXPECT_EQ(failed[0].exit.how, ExitClass::kCouldNotStart);
  EXPECT_THAT(failed[0].what, HasSubstr("/nowhere/snapshot"));
  EXPECT_TRUE(Lines<RankStarted>(record).empty());
}

TEST(LauncherTest, SecondLauncherOfANodeExits) {
  LaunchBench bench;
  const auto order = bench.Order(0, {"read line < go; echo $line"});
  ASSERT_TRUE(os::MakeDirs(order.work_dir));
  ASSERT_EQ(mkfifo((order.work_dir + "/go").c_str(), 0600), 0);
  bench.Launch(order);
  bench.WaitFor<RankStarted>(0);
  const pid_t first = bench.launcher(0);
  const auto before = bench.Text(0, "record");
  EXPECT_TRUE(os::IsLocked(bench.NodeDir(0) / "record"));
  bench.LaunchAgain(0);
  EXPECT_EQ(bench.WaitLauncher(0), 0);
  EXPECT_EQ(bench.Text(0, "record"), before);
  const auto go = os::Open(order.work_dir + "/go", O_WRONLY);
  ASSERT_TRUE(go);
  ASSERT_TRUE(os::WriteAll(go->get(), "went\n"));
  bench.WaitFor<LauncherEnded>(0);
  EXPECT_EQ(bench.Text(0, "rank0.log"), "went\n");
  EXPECT_EQ(Lines<LauncherBegan>(bench.Record(0)).size(), 1u);
  EXPECT_EQ(waitpid(first, nullptr, 0), first);
}

TEST(LauncherTest, InvalidOrderIsReportedInTheRecord) {
  for (const std::string text : {"", "{", "[]", "{\"version\": 99}"}) {
    LaunchBench bench;
    ASSERT_TRUE(os::MakeDirs(bench.NodeDir(0)));
    ASSERT_TRUE(os::WriteFileAtomic(bench.NodeDir(0) / "order.json", text));
    bench.LaunchAgain(0);
    EXPECT_EQ(bench.WaitLauncher(0), 0);
    const auto record = bench.Record(0);
    ASSERT_EQ(Lines<NodeFailed>(record).size(), 1u) << text;
    EXPECT_EQ(Lines<NodeFailed>(record)[0].exit.how, ExitClass::kCouldNotStart);
    EXPECT_TRUE(std::holds_alternative<LauncherEnded>(record.back().body));
  }
}

TEST(LauncherTest, MissingFolderIsALauncherError) {
  EXPECT_EXIT(_exit(RunLauncher("/nowhere/node0")), testing::ExitedWithCode(1), "/nowhere/node0");
}

TEST(LauncherTest, ClosedOutputIsHarmless) {
  LaunchBench bench;
  const auto record = bench.RunToEnd({"exec >&- 2>&-; exit 4"});
  EXPECT_EQ(EndOf(record, 0).code, 4);
}

TEST(LauncherTest, HundredMegabytesWithoutNewlineAreKept) {
  LaunchBench bench;
  const auto record = bench.RunToEnd({"head -c 100000000 /dev/zero"});
  EXPECT_EQ(EndOf(record, 0).how, ExitClass::kSucceeded);
  EXPECT_EQ(os::FileSize(bench.NodeDir(0) / "rank0.log").value_or(0), 100'000'000);
  EXPECT_THAT(bench.Text(0, "rank0.idx"), EndsWith(" 100000000\n"));
}

TEST(LauncherTest, InvalidUtf8IsKeptUnchanged) {
  LaunchBench bench;
  bench.RunToEnd({R"(printf '\377\376loss: 0.5\n\300')"});
  EXPECT_EQ(bench.Text(0, "rank0.log"), "\377\376loss: 0.5\n\300");
}

TEST(LauncherTest, NumbersInTheLogBecomeASeries) {
  LaunchBench bench;
  bench.RunToEnd({"echo 'epoch 1 loss 0.5'; echo 'epoch 2 loss 0.25'"});
  EXPECT_THAT(bench.Text(0, "series"), HasSubstr("\"loss\":0.25"));
  EXPECT_THAT(bench.Text(0, "rank0.idx"), EndsWith(" 35\n"));
}

TEST(LauncherTest, OutOfMemoryKillDiffersFromOtherKills) {
  if (!os::ProbeCgroups().limits_memory)
    GTEST_SKIP() << "no control group of this machine limits memory";
  LaunchBench bench;
  // tail keeps all input in memory because it contains no newline.
  auto order = bench.Order(0, {"exec tail /dev/zero"});
  order.memory = 64 << 20;
  bench.Launch(order);
  EXPECT_EQ(bench.WaitLauncher(0), 0);
  const auto record = bench.Record(0);
  ExpectProven(record);
  EXPECT_EQ(EndOf(record, 0).how, ExitClass::kOutOfMemory);
  EXPECT_EQ(EndOf(record, 0).signal, SIGKILL);
}

TEST(LauncherTest, NodeJoinsAllCgroupHierarchiesAndRemovesItsGroups) {
  LaunchBench bench;
  const auto order = bench.Order(0, {"exec sleep 1000"});
  bench.Launch(order);
  const auto record = bench.WaitFor<RankStarted>(0);
  const std::string group = Lines<LauncherBegan>(record)[0].cgroup;
  if (group.empty() && !os::ProbeCgroups().makes_groups)
    GTEST_SKIP() << "this user can make no control groups";
  ASSERT_FALSE(group.empty());
  const std::string pid = std::to_string(Lines<RankStarted>(record)[0].pid);
  for (const os::CgroupMount& mount : os::FindCgroupMounts()) {
    const bool counts = std::filesystem::exists(mount.root / "memory.limit_in_bytes");
    if (counts) bench.WaitText(mount.root / "muster" / group / "cgroup.procs", pid);
  }
  bench.Tell({.by = StoppedBy::kUser});
  EXPECT_EQ(bench.WaitLauncher(0), 0);
  EXPECT_FALSE(os::Cgroup::Find(group));
}

TEST(LauncherTest, VirtualNodeHasHostNameAndHostsFile) {
  if (geteuid() != 0 || !os::MachineAllowsMounts())
    GTEST_SKIP() << "this user can make no namespaces";
  LaunchBench bench;
  auto order = bench.Order(0, {"uname -n; grep -c node-1 /etc/hosts"}, 2);
  order.isolate = true;
  order.hostname = "virtual-a";
  bench.Launch(order);
  bench.WaitLauncher(0);
  EXPECT_THAT(Lines<LauncherBegan>(bench.Record(0))[0].notes, testing::IsEmpty());
  EXPECT_EQ(bench.Text(0, "rank0.log"), "virtual-a\n1\n");
}

TEST(LauncherTest, SetupHookRunsBeforeTheRanksInTheWorkFolder) {
  LaunchBench bench;
  auto order = bench.Order(0, {"cat made-by-setup"});
  order.hooks.setup = "echo $STAGE > made-by-setup; echo to the log; pwd";
  order.env = {{"STAGE", "prepared"}};
  bench.Launch(order);
  bench.WaitLauncher(0);
  EXPECT_EQ(bench.Text(0, "rank0.log"), "prepared\n");
  EXPECT_EQ(bench.Text(0, "hooks.log"), "--- setup\nto the log\n" + order.work_dir + "\n");
}

TEST(LauncherTest, FailedSetupHookPreventsTheStart) {
  LaunchBench bench;
  auto order = bench.Order(0, {"echo never"});
  order.hooks.setup = "exit 3";
  order.hooks.on_failure = "echo sorry";
  bench.Launch(order);
  bench.WaitLauncher(0);
  const auto record = bench.Record(0);
  ExpectProven(record);
  const auto failed = Lines<NodeFailed>(record);
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].what, "setup hook on node-0 exited with code 3");
  EXPECT_EQ(failed[0].exit.how, ExitClass::kCouldNotStart);
  EXPECT_TRUE(Lines<RankStarted>(record).empty());
  EXPECT_THAT(bench.Text(0, "hooks.log"), HasSubstr("--- on_failure\nsorry\n"));
}

TEST(LauncherTest, RemovedFolderDoesNotStopRunningRanks) {
  LaunchBench bench;
  const auto order = bench.Order(0, {"exec 3<>go; echo ready; read line <&3"});
  ASSERT_TRUE(os::MakeDirs(order.work_dir));
  const auto pipe = order.work_dir + "/go";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  bench.Launch(order);
  bench.WaitText(0, "rank0.log", "ready");
  const auto go = os::Open(pipe, O_RDWR);
  ASSERT_TRUE(go);
  ASSERT_TRUE(os::RemoveTree(bench.NodeDir(0)));
  ASSERT_TRUE(os::WriteAll(go->get(), "on\n"));
  EXPECT_EQ(bench.WaitLauncher(0), 0);
}

}  // namespace
}  // namespace muster::launcher
