#include "os/sweep.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/spawn.h"
#include "os/testing/cgroup_probe.h"

namespace muster::os {
namespace {

using testing::Contains;
using testing::ElementsAre;

class SweepTest : public testing::Test {
 protected:
  Child Start(const std::string& mark, const std::vector<Path>& procs = {}) {
    return std::move(Spawn({.argv = {"/bin/sleep", "1000"}, .env = {mark}, .cgroup_procs = procs}))
        .value();
  }
  static int SignalOf(pid_t pid) {
    int status = 0;
    return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

  std::string token_ = RandomHex(8);
};

TEST_F(SweepTest, NamesDistinguishNodesOfOneAttempt) {
  EXPECT_EQ(NodeGroupName(17, 3, 1, "0123456789abcdef"), "job17-a3-n1-01234567");
  EXPECT_EQ(NodeGroupName(17, 3, 1, ""), "job17-a3-n1-");
  EXPECT_EQ(NodeMark("0123", 12), "MUSTER_NODE_MARK=0123.12");
}

TEST_F(SweepTest, OnlyMarkedProcessesAreKilled) {
  const Child mine = Start(NodeMark(token_, 1));
  const Child other = Start(NodeMark(token_, 11));
  // Both stay zombies until this test reaps them; a zombie counts as ended.
  const auto result = SweepNow("", NodeMark(token_, 1), 10'000);
  EXPECT_EQ(result.found, 1);
  EXPECT_EQ(result.killed, 1);
  EXPECT_EQ(result.left, 0);
  EXPECT_THAT(result.names, ElementsAre("sleep"));
  EXPECT_EQ(SignalOf(mine.pid), SIGKILL);
  EXPECT_EQ(waitpid(other.pid, nullptr, WNOHANG), 0) << "the other node's process must live";
  kill(other.pid, SIGKILL);
  EXPECT_EQ(SignalOf(other.pid), SIGKILL);
}

TEST_F(SweepTest, CleanTargetIsProvenByOneLook) {
  const auto result = SweepNow("no-such-group", NodeMark(token_, 0), 10'000);
  EXPECT_EQ(result.found, 0);
  EXPECT_EQ(result.left, 0);
  EXPECT_TRUE(result.names.empty());
}

TEST_F(SweepTest, GroupMembersWithoutMarkAreFoundAndTheGroupIsRemoved) {
  const std::string name = "sweep-test-" + token_;
  const auto group = Cgroup::Create(name, std::nullopt);
  if (!group && !ProbeCgroups().makes_groups)
    GTEST_SKIP() << "this user can make no control groups";
  ASSERT_TRUE(group) << group.error().text;
  const Child child = Start("PLAIN=1", group->ProcsFiles());
  const auto result = SweepNow(name, "", 10'000);
  EXPECT_EQ(result.killed, 1);
  EXPECT_EQ(result.left, 0);
  EXPECT_EQ(SignalOf(child.pid), SIGKILL);
  EXPECT_FALSE(Cgroup::Find(name));
}

TEST_F(SweepTest, DescendantsWithoutMarkAndGroupAreFound) {
  const Child child = Start("PLAIN=1");
  Sweeper sweeper({"", "", true});
  ASSERT_EQ(sweeper.Look().size(), 1u);
  EXPECT_EQ(sweeper.result().killed, 0) << "looking kills nothing";
  EXPECT_FALSE(sweeper.Step());
  EXPECT_EQ(SignalOf(child.pid), SIGKILL);
  EXPECT_TRUE(sweeper.Step());
  EXPECT_EQ(sweeper.result().found, 1);
  EXPECT_EQ(sweeper.result().killed, 1);
}

// A process that replaces itself by a new one every few milliseconds, with all its descriptors.
void StartHandingOn() {
  if (fork() != 0) return;
  while (true) {
    usleep(3000);
    if (fork() != 0) _exit(0);
    setsid();
  }
}

TEST_F(SweepTest, ProcessThatKeepsForkingIsKilledWithoutMarkAndGroup) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  for (int round = 0; round < 20; ++round) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const Fd reader(ends[0]);
    Fd writer(ends[1]);
    StartHandingOn();
    writer.Reset();
    Sweeper sweeper({"", "", true});
    const int64_t deadline = SystemClock().SteadyMs() + 60'000;
    while (!sweeper.Step()) {
      ASSERT_LT(SystemClock().SteadyMs(), deadline);
      while (waitpid(-1, nullptr, WNOHANG) > 0) {
      }
    }
    char byte = 0;
    pollfd look{reader.get(), POLLIN, 0};
    ASSERT_EQ(poll(&look, 1, 0), 1) << "said to be clean, and somebody still holds the pipe";
    EXPECT_EQ(read(reader.get(), &byte, 1), 0);
    EXPECT_GE(sweeper.result().killed, 1);
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_F(SweepTest, ChildMissedByALookPreventsTheProof) {
  const Child child = Start("PLAIN=1");
  const Sweeper sweeper({"", "", true});
  EXPECT_TRUE(sweeper.Stirs());
  EXPECT_FALSE(Sweeper({"", "", false}).Stirs()) << "whose children these are is not known";
  kill(child.pid, SIGKILL);
  EXPECT_EQ(SignalOf(child.pid), SIGKILL);
  EXPECT_FALSE(sweeper.Stirs());
}

TEST_F(SweepTest, SignalReachesOnlyTheExaminedProcess) {
  const Child child = Start("PLAIN=1");
  auto seen = ReadProcess(child.pid).value();
  seen.start_ticks += 1;
  EXPECT_FALSE(SignalExactly(seen, SIGKILL)) << "another process with this number";
  seen.start_ticks -= 1;
  EXPECT_TRUE(SignalExactly(seen, SIGKILL));
  EXPECT_EQ(SignalOf(child.pid), SIGKILL);
  EXPECT_FALSE(SignalExactly(seen, SIGKILL)) << "gone";
}

}  // namespace
}  // namespace muster::os
