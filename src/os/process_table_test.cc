#include "os/process_table.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/spawn.h"
#include "os/temp_dir.h"

namespace muster::os {
namespace {

using testing::Contains;
using testing::Field;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kWaiting = "sleep 1000 & echo ready; wait";

// Runs a shell in its own process group and waits for its first byte of output.
class ProcessTableTest : public testing::Test {
 protected:
  pid_t Start(const std::string& script = kWaiting, std::vector<std::string> extra = {}) {
    int fds[2];
    EXPECT_EQ(::pipe2(fds, O_CLOEXEC), 0);
    const Fd reader(fds[0]);
    Fd writer(fds[1]);
    SpawnOptions options;
    options.argv = {"sh", "-c", script};
    options.env = {"PATH=/usr/bin:/bin", mark};
    options.env.insert(options.env.end(), extra.begin(), extra.end());
    options.stdout_fd = writer.get();
    const auto child = Spawn(options);
    EXPECT_TRUE(child);
    writer.Reset();
    char c = 0;
    EXPECT_EQ(::read(reader.get(), &c, 1), 1);
    return shell = child->pid;
  }
  void TearDown() override {
    if (shell <= 0) return;
    ::kill(-shell, SIGKILL);  // it leads a process group
    ::waitpid(shell, nullptr, 0);
    shell = -1;
  }

  const std::string mark = "MUSTER_TEST_MARK=" + RandomHex(8);
  pid_t shell = -1;
};

TEST_F(ProcessTableTest, ChildrenAreListedUntilTheyAreReaped) {
  const pid_t child = Start("echo ready; exec sleep 1000");
  EXPECT_THAT(Children(), Contains(child));
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_THAT(Children(), Contains(child)) << "a zombie keeps its number";
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_THAT(Children(), Not(Contains(child)));
  shell = -1;
}

TEST_F(ProcessTableTest, ReadsTheCallerItself) {
  const auto self = ReadProcess(::getpid());
  ASSERT_TRUE(self);
  EXPECT_EQ(self->ppid, ::getppid());
  EXPECT_EQ(self->pgid, ::getpgrp());
  EXPECT_EQ(self->state, 'R');
  EXPECT_GT(self->start_ticks, 0u);
  EXPECT_THAT(AllProcesses(), Contains(Field(&ProcessInfo::pid, ::getpid())));
}

TEST_F(ProcessTableTest, ReadsNamesWithBlanksAndBrackets) {
  char before[16] = {};
  ::prctl(PR_GET_NAME, before);
  ::prctl(PR_SET_NAME, "a) S 1 (b");
  const auto self = ReadProcess(::getpid());
  ::prctl(PR_SET_NAME, before);
  ASSERT_TRUE(self);
  EXPECT_EQ(self->comm, "a) S 1 (b");
  EXPECT_EQ(self->ppid, ::getppid());
}

TEST_F(ProcessTableTest, EndedProcessIsNotFound) {
  const pid_t pid = Start();
  TearDown();
  EXPECT_EQ(ReadProcess(pid).error().code, Code::kNotFound);
  EXPECT_EQ(ReadProcess(-5).error().code, Code::kNotFound);
  EXPECT_EQ(CommandLine(pid), "");
}

TEST_F(ProcessTableTest, FindsIndirectDescendants) {
  const pid_t pid = Start("sh -c 'sleep 1000 & echo ready; wait' & wait");
  const auto below = Descendants(pid);
  ASSERT_EQ(below.size(), 2u);
  EXPECT_THAT(below, Contains(Field(&ProcessInfo::ppid, pid)));
  EXPECT_THAT(below, Contains(Field(&ProcessInfo::ppid, Not(pid))));
  EXPECT_THAT(Descendants(::getpid()), Contains(Field(&ProcessInfo::pid, pid)));
}

TEST_F(ProcessTableTest, ZombiesAreNotListed) {
  const pid_t pid = Start("echo ready; exec sleep 1000");
  ::kill(pid, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(ReadProcess(pid)->state, 'Z');
  EXPECT_EQ(ReadProcess(pid)->wait_status, SIGKILL);
  EXPECT_THAT(Descendants(::getpid()), Not(Contains(Field(&ProcessInfo::pid, pid))));
  EXPECT_THAT(ProcessesMarked(mark), IsEmpty());
}

// The kernel shows such a process as a zombie although its other threads run.
TEST_F(ProcessTableTest, ProcessWithoutMainThreadIsAlive) {
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    std::thread([] { ::pause(); }).detach();
    ::syscall(SYS_exit, 0);  // ends this thread only
  }
  while (ReadProcess(pid)->state != 'Z') std::this_thread::yield();
  EXPECT_TRUE(IsAlive(*ReadProcess(pid)));
  EXPECT_THAT(Descendants(::getpid()), Contains(Field(&ProcessInfo::pid, pid)));
  ::kill(pid, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(IsAlive(*ReadProcess(pid)));
  ::waitpid(pid, nullptr, 0);
}

TEST_F(ProcessTableTest, FindsProcessesByAWholeEnvironmentEntry) {
  const pid_t pid = Start(kWaiting, {"OTHER=x" + mark + "y"});
  EXPECT_THAT(ProcessesMarked(mark), Contains(Field(&ProcessInfo::pid, pid)));
  EXPECT_THAT(ProcessesMarked(mark.substr(0, mark.size() - 1)), IsEmpty());
  EXPECT_THAT(ProcessesMarked(mark.substr(1)), IsEmpty());
  EXPECT_THAT(ProcessesMarked(""), IsEmpty());
}

// Spawn returns after exec, before the program is completely loaded.
TEST_F(ProcessTableTest, FindsMarksOfProgramsThatAreBeingLoaded) {
  for (int i = 0; i < 50; ++i) {
    SpawnOptions options;
    options.argv = {"sleep", "1000"};
    options.env = {mark};
    const auto child = Spawn(options);
    ASSERT_TRUE(child);
    const auto found = ProcessesMarked(mark);
    ::kill(child->pid, SIGKILL);
    ::waitpid(child->pid, nullptr, 0);
    ASSERT_EQ(found.size(), 1u) << "in round " << i;
  }
}

TEST_F(ProcessTableTest, ReadsAVariableByItsWholeName) {
  SpawnOptions options;
  options.argv = {"sleep", "1000"};
  options.env = {"RANK_ID=9", "RANK=7", "EMPTY="};
  const auto child = Spawn(options);
  ASSERT_TRUE(child);
  while (CommandLine(child->pid) != "sleep 1000") std::this_thread::yield();
  EXPECT_EQ(VariableOf(child->pid, "RANK"), "7");
  EXPECT_EQ(VariableOf(child->pid, "EMPTY"), "");
  EXPECT_EQ(VariableOf(child->pid, "RAN"), std::nullopt);
  ::kill(child->pid, SIGKILL);
  ::waitpid(child->pid, nullptr, 0);
  EXPECT_EQ(VariableOf(child->pid, "RANK"), std::nullopt);
}

TEST_F(ProcessTableTest, ShowsCommandsInShellSyntax) {
  const pid_t pid = Start();
  EXPECT_EQ(CommandLine(pid), "sh -c 'sleep 1000 & echo ready; wait'");
}

}  // namespace
}  // namespace muster::os
