#include "os/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "os/temp_dir.h"

namespace muster::os {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class SpawnTest : public testing::Test {
 protected:
  SpawnTest() {
    options.env = {"PATH=/usr/local/bin:/usr/bin:/bin"};
    out = std::move(*Open(dir / "out", O_RDWR | O_CREAT | O_APPEND));
    options.stdout_fd = out.get();
  }

  // The status from waitpid after the pidfd reported the end.
  int Finish() {
    auto child = Spawn(options);
    if (!child) {
      ADD_FAILURE() << child.error().text;
      return -1;
    }
    pollfd waiting{child->pidfd.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, 60'000), 1);
    int status = 0;
    EXPECT_EQ(::waitpid(child->pid, &status, 0), child->pid);
    return status;
  }
  int Shell(const std::string& script) {
    options.argv = {"sh", "-c", script};
    return Finish();
  }
  std::string Output() { return *ReadFile(dir / "out"); }
  Error Failure() {
    auto child = Spawn(options);
    EXPECT_FALSE(child);
    // A child that could not execute the program was reaped: no child is left.
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
    return child ? Error{} : child.error();
  }
  Path Script(const std::string& name, std::string_view content, mode_t mode) {
    EXPECT_TRUE(WriteFileAtomic(dir / name, content));
    ::chmod((dir / name).c_str(), mode);
    return dir / name;
  }

  TempDir dir;
  Fd out;
  SpawnOptions options;
};

TEST_F(SpawnTest, PassesArgumentsAndOnlyTheGivenEnvironment) {
  options.env.push_back("X=a b");
  EXPECT_EQ(WEXITSTATUS(Shell("echo \"$X\" \"$HOME\"; exit 7")), 7);
  EXPECT_EQ(Output(), "a b \n");
}

TEST_F(SpawnTest, StderrFollowsStdoutByDefault) {
  EXPECT_EQ(Shell("echo one; echo two >&2; cat"), 0);
  EXPECT_EQ(Output(), "one\ntwo\n");
  const auto err = Open(dir / "err", O_RDWR | O_CREAT);
  options.stderr_fd = err->get();
  EXPECT_EQ(Shell("echo three >&2"), 0);
  EXPECT_EQ(ReadFile(dir / "err"), "three\n");
}

TEST_F(SpawnTest, StartsInTheGivenFolder) {
  options.cwd = dir.path();
  EXPECT_EQ(Shell("pwd -P"), 0);
  EXPECT_EQ(Output(), std::filesystem::canonical(dir.path()).string() + "\n");
}

TEST_F(SpawnTest, LeaksNoDescriptors) {
  const Fd leak(::open("/dev/null", O_RDONLY));  // not close-on-exec
  const Fd high(::fcntl(leak.get(), F_DUPFD, 900));
  options.argv = {"ls", "/proc/self/fd"};
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(Output(), "0\n1\n2\n3\n");  // 3 is the folder that ls reads
}

TEST_F(SpawnTest, DescriptorsThatOccupyEachOthersNumbersAreMoved) {
  const Fd saved(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  ASSERT_EQ(::dup2(out.get(), 0), 0);
  options.stdout_fd = 0;
  options.stderr_fd = 0;
  const int status = Shell("echo out; echo err >&2");
  ::dup2(saved.get(), 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Output(), "out\nerr\n");
}

TEST_F(SpawnTest, SignalMaskAndDispositionsAreClean) {
  sigset_t mask, before;
  sigemptyset(&mask);
  sigaddset(&mask, SIGTERM);
  sigaddset(&mask, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &mask, &before);
  const auto old = std::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(Shell("grep -E '^Sig(Blk|Ign)' /proc/self/status"), 0);
  EXPECT_EQ(Output(), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  std::signal(SIGPIPE, old);
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, &before, &now);
  EXPECT_TRUE(sigismember(&now, SIGTERM)) << "the caller's mask is given back";
  EXPECT_FALSE(sigismember(&now, SIGINT));
}

TEST_F(SpawnTest, LeadsTheRequestedGroupOrSession) {
  const std::string mine = fmt::format("{} {}\n", ::getpgrp(), ::getsid(0));
  size_t seen = 0;
  for (const auto& [leads, expected] :
       {std::pair(Leads::kSession, std::string("self self\n")),
        std::pair(Leads::kGroup, fmt::format("self {}\n", ::getsid(0))),
        std::pair(Leads::kNothing, mine)}) {
    options.leads = leads;
    EXPECT_EQ(Shell("cut -d' ' -f5,6 /proc/$$/stat | sed \"s/\\b$$\\b/self/g\""), 0);
    EXPECT_EQ(Output().substr(seen), expected);
    seen = Output().size();
  }
}

TEST_F(SpawnTest, LimitsAreReducedToTheHardLimit) {
  options.limits = {{RLIMIT_NOFILE, {64, 64}},
                    {RLIMIT_CORE, {RLIM_INFINITY, RLIM_INFINITY}},
                    {RLIMIT_NPROC, {RLIM_INFINITY, RLIM_INFINITY}}};
  EXPECT_EQ(Shell("ulimit -n"), 0);
  EXPECT_EQ(Output(), "64\n");
}

TEST_F(SpawnTest, MissingProgramDiffersFromOneThatCannotRun) {
  options.argv = {"no-such-program"};
  options.env = {"PATH=/nonexistent:" + dir.path().string()};
  Error error = Failure();
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_EQ(error.text, "cannot find the program \"no-such-program\" in any folder of PATH");

  Script("plain", "#!/bin/sh\n", 0644);
  options.argv = {"plain"};
  error = Failure();
  EXPECT_EQ(error.code, Code::kDenied);
  EXPECT_THAT(error.text, HasSubstr((dir / "plain").string()));

  options.argv = {dir.path().string()};
  EXPECT_EQ(Failure().code, Code::kDenied);
  options.argv = {(dir / "none").string()};
  EXPECT_EQ(Failure().code, Code::kNotFound);
}

TEST_F(SpawnTest, ErrorNamesTheMissingInterpreter) {
  options.argv = {Script("script", "#!/opt/nothing/python3 -u\n", 0755).string()};
  const Error error = Failure();
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_THAT(error.text, HasSubstr("/opt/nothing/python3"));
}

TEST_F(SpawnTest, FileThatIsNotAProgramIsRejected) {
  options.argv = {Script("data", "just text", 0755).string()};
  const Error error = Failure();
  EXPECT_EQ(error.code, Code::kInvalid);
  EXPECT_EQ(error.sys, ENOEXEC);
  EXPECT_FALSE(error.next.empty());
}

TEST_F(SpawnTest, ErrorNamesTheMissingFolder) {
  options.argv = {"./run.sh"};
  options.cwd = dir / "missing";
  const Error error = Failure();
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_THAT(error.text, HasSubstr((dir / "missing").string()));
}

TEST_F(SpawnTest, RelativeProgramIsSearchedInTheFolderOfTheChild) {
  Script("run.sh", "#!/bin/sh\necho here\n", 0755);
  options.argv = {"./run.sh"};
  options.cwd = dir.path();
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(Output(), "here\n");
}

TEST_F(SpawnTest, ErrorNamesTheControlGroupThatRefuses) {
  options.argv = {"true"};
  options.cgroup_procs = {dir / "group/cgroup.procs"};
  const Error error = Failure();
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_THAT(error.text, HasSubstr((dir / "group/cgroup.procs").string()));
}

TEST_F(SpawnTest, ErrorNamesTheDescriptorThatIsNotOpen) {
  options.argv = {"true"};
  options.stdout_fd = 987;
  const Error error = Failure();
  EXPECT_EQ(error.sys, EBADF);
  EXPECT_THAT(error.text, AllOf(HasSubstr("987"), HasSubstr("standard output")));
}

TEST_F(SpawnTest, TextWithNulBytesIsRejected) {
  options.argv = {};
  EXPECT_EQ(Failure().code, Code::kInvalid);
  options.argv = {""};
  EXPECT_EQ(Failure().code, Code::kInvalid);
  options.argv = {"echo", std::string("a\0b", 3)};
  EXPECT_EQ(Failure().code, Code::kInvalid);
  options.argv = {"echo", std::string(4 << 20, 'x')};
  EXPECT_EQ(Failure().code, Code::kTooLarge);
}

TEST_F(SpawnTest, ParentHasNoOpenDescriptorLeft) {
  const auto count = [] {
    const std::filesystem::directory_iterator entries("/proc/self/fd");
    return std::distance(begin(entries), end(entries));
  };
  const auto before = count();
  EXPECT_EQ(Shell("true"), 0);
  options.argv = {"no-such-program"};
  Failure();
  EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace muster::os
