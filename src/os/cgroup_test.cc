#include "os/cgroup.h"

#include <fcntl.h>
#include <sys/wait.h>

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "os/cgroup_mounts.h"
#include "os/spawn.h"
#include "os/testing/cgroup_probe.h"

namespace muster::os {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

TEST(CgroupMountsTest, HybridMachineIsParsed) {
  const auto mounts = ParseCgroupMounts(
      "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
      "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
      "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
      "37 31 0:34 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n"
      "40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
      "4:memory:/box/a\n2:freezer:/\n1:cpu:/z\n0::/y\n");
  ASSERT_EQ(mounts.size(), 3u);
  EXPECT_EQ(mounts[0].root, "/sys/fs/cgroup/memory");
  EXPECT_EQ(mounts[0].own, "/sys/fs/cgroup/memory/box/a");
  EXPECT_EQ(mounts[1].own, "/sys/fs/cgroup/freezer");
  EXPECT_TRUE(mounts[2].unified);
  EXPECT_EQ(mounts[2].own, "/sys/fs/cgroup/unified/y");
  EXPECT_TRUE(mounts[0].counts_memory && !mounts[1].counts_memory && mounts[2].counts_memory);
}

TEST(CgroupMountsTest, ContainerWithPartOfTheHierarchyIsParsed) {
  const auto mounts = ParseCgroupMounts(
      "9 1 0:2 /docker/id /sys/fs/my\\040group rw - cgroup2 cgroup rw\n"
      "9 1 0:2 /docker/id /mnt/again rw - cgroup2 cgroup rw\n",
      "0::/docker/id/inner\n");
  ASSERT_EQ(mounts.size(), 1u);
  EXPECT_EQ(mounts[0].root, "/sys/fs/my group");
  EXPECT_EQ(mounts[0].own, "/sys/fs/my group/inner");
  EXPECT_EQ(ParseCgroupMounts("9 1 0:2 /docker/id /c rw - cgroup2 c rw", "0::/../other").at(0).own,
            "/c");
}

TEST(CgroupMountsTest, InvalidTextIsIgnored) {
  for (const char* text :
       {"", "\n\n", "a b c", "1 2 3 4 5 6 -", "1 2 3 4 5 - cgroup2", "- - - - - - -"}) {
    EXPECT_THAT(ParseCgroupMounts(text, text), IsEmpty()) << text;
  }
}

TEST(CgroupNameTest, NameIsOneSafeComponent) {
  for (const char* name : {"", ".", "..", "a/b", "../x", "a b", "a\n", ".hidden", "cgroup.procs"}) {
    EXPECT_EQ(Cgroup::Create(name, {}).error().code, Code::kInvalid) << name;
    EXPECT_EQ(Cgroup::Find(name).error().code, Code::kInvalid) << name;
  }
  EXPECT_EQ(Cgroup::Create(std::string(300, 'x'), {}).error().code, Code::kInvalid);
  EXPECT_EQ(Cgroup::Create("fine", -1).error().code, Code::kInvalid);
}

// A test is skipped only where a probe that does not use the code under test can make no group
// either.
class CgroupTest : public testing::Test {
 protected:
  ~CgroupTest() override {
    if (!group) return;
    group->KillAll();
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
    EXPECT_TRUE(group->Remove());
  }

  void SetUp() override { Make(); }
  void Make(std::optional<int64_t> memory_limit = {}) {
    auto made = Cgroup::Create(name, memory_limit);
    if (made) {
      group = std::move(*made);
      return;
    }
    EXPECT_EQ(made.error().code, Code::kUnavailable);
    EXPECT_FALSE(made.error().next.empty());
    if (!ProbeCgroups().makes_groups) GTEST_SKIP() << "this user can make no control groups";
    FAIL() << made.error().text;
  }
  // Starts a shell script in the group, and optionally waits for its first byte of output.
  pid_t Start(const std::string& script, bool wait_for_output = false) {
    int fds[2];
    EXPECT_EQ(::pipe2(fds, O_CLOEXEC), 0);
    const Fd reader(fds[0]);
    Fd writer(fds[1]);
    SpawnOptions options;
    options.argv = {"sh", "-c", script};
    options.cgroup_procs = group->ProcsFiles();
    options.stdout_fd = writer.get();
    const auto child = Spawn(options);
    EXPECT_TRUE(child) << child.error().text;
    writer.Reset();
    char c = 0;
    if (wait_for_output) EXPECT_EQ(::read(reader.get(), &c, 1), 1);
    return child ? child->pid : -1;
  }

  const std::string name = "test-" + RandomHex(6);
  std::optional<Cgroup> group;
};

TEST_F(CgroupTest, ContainsChildrenAndTheirChildren) {
  const pid_t pid = Start("sleep 1000 & sleep 1000 & echo; wait", true);
  const auto members = group->Members();
  EXPECT_THAT(members, Contains(pid));
  EXPECT_EQ(members.size(), 3u);
  EXPECT_THAT(members, Not(Contains(::getpid())));
}

TEST_F(CgroupTest, KillsMembersThatIgnoreSignals) {
  const pid_t pid =
      Start("trap '' TERM INT HUP; setsid sleep 1000 & (sleep 1000 &) ; echo; wait", true);
  group->KillAll();
  EXPECT_THAT(group->Members(), IsEmpty());
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_F(CgroupTest, KillsForkBombs) {
  Start("f() { while :; do sleep 1000 & sleep 0.01; done; }; f & f & echo; wait", true);
  group->KillAll();
  EXPECT_THAT(group->Members(), IsEmpty());
}

TEST_F(CgroupTest, IsFoundByName) {
  const pid_t pid = Start("sleep 1000");
  const auto found = Cgroup::Find(name);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name(), name);
  EXPECT_THAT(found->Members(), Contains(pid));
  EXPECT_THAT(found->ProcsFiles(), IsSupersetOf(group->ProcsFiles()));
  EXPECT_TRUE(Cgroup::Create(name, {})) << "making it again finds it";
}

// A group with a limit is joined in all hierarchies before the program starts; other hierarchies
// may follow.
TEST_F(CgroupTest, MembersJoinOtherHierarchiesLater) {
  const pid_t pid = Start("sleep 1000 & echo; wait", true);
  const size_t members = group->Members().size();
  group->JoinLate();
  const auto found = Cgroup::Find(name);
  ASSERT_TRUE(found);
  for (const Path& procs : found->ProcsFiles()) {
    const auto text = ReadFile(procs);
    ASSERT_TRUE(text);
    EXPECT_THAT(Split(*text, '\n'), Contains(std::to_string(pid))) << procs;
    EXPECT_EQ(std::ranges::count(*text, '\n'), std::ptrdiff_t(members)) << procs;
  }
}

TEST_F(CgroupTest, CanBeCreatedAgainAfterKillAll) {
  const pid_t pid = Start("sleep 1000");
  group->KillAll();
  ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
  ASSERT_TRUE(group->Remove());
  Make();
  ASSERT_TRUE(group);
  int status = 0;
  ASSERT_GT(::waitpid(Start("exit 7"), &status, 0), 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(CgroupTest, MissingGroupIsNotFound) {
  EXPECT_EQ(Cgroup::Find(name + "-other").error().code, Code::kNotFound);
}

TEST_F(CgroupTest, IsNotRemovedWhileMembersLive) {
  const pid_t pid = Start("sleep 1000");
  const auto removed = group->Remove();
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().sys, EBUSY);
  EXPECT_THAT(group->Members(), Contains(pid));
}

TEST_F(CgroupTest, IsRemovedWithNestedGroups) {
  const Path inner = group->ProcsFiles()[0].parent_path() / "a/b";
  ASSERT_TRUE(MakeDirs(inner));
  EXPECT_TRUE(group->Remove());
  EXPECT_EQ(Cgroup::Find(name).error().code, Code::kNotFound);
  EXPECT_TRUE(group->Remove()) << "what is gone is removed";
  group.reset();
}

TEST_F(CgroupTest, CountsOutOfMemoryKills) {
  constexpr int64_t kLimit = 32 << 20;
  if (!ProbeCgroups().limits_memory) GTEST_SKIP() << "no control group limits memory here";
  Make(kLimit);
  ASSERT_TRUE(group->limits_memory());
  ASSERT_TRUE(group->PeakMemory());
  EXPECT_EQ(group->OomKills(), 0);
  const pid_t pid = Start("exec tail /dev/zero");  // allocates memory without limit
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(group->OomKills(), 1);
  EXPECT_GT(*group->PeakMemory(), kLimit / 2);
  EXPECT_LE(*group->PeakMemory(), kLimit);
}

}  // namespace
}  // namespace muster::os
