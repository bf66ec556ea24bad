#include "launcher/agent.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "launcher/agent_wire.h"
#include "launcher/launch_bench.h"
#include "os/spawn.h"

namespace muster::launcher {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<AgentCall> Parse(const std::vector<std::string>& args) { return ParseAgentCall(args); }

TEST(AgentTest, SshOptionsBeforeAndAfterTheHostAreSkipped) {
  const auto call = Parse({"-x", "-o", "BatchMode=yes", "-p2222", "-vp", "22", "root@node-1", "-p",
                           "22", "--", "orted", "-mca", "ess"});
  ASSERT_TRUE(call);
  EXPECT_EQ(call->host, "node-1");
  EXPECT_THAT(call->words, ElementsAre("orted", "-mca", "ess"));
}

TEST(AgentTest, CallWithoutCommandIsALoginShell) {
  for (const auto& call : {Parse({"node-1"}), Parse({"node-1", "-n"})}) {
    ASSERT_TRUE(call);
    EXPECT_EQ(call->host, "node-1");
    EXPECT_THAT(call->words, ElementsAre("exec", "/bin/bash", "-l"));
  }
}

TEST(AgentTest, CallWithoutHostIsRefused) {
  EXPECT_FALSE(Parse({}));
  EXPECT_FALSE(Parse({"-o"}));
  EXPECT_FALSE(Parse({"-x", "-p", "22"}));
}

TEST(AgentTest, HostsAreFoundByNameAndByAddress) {
  NodeOrder order;
  order.attempt_dir = "/a/1";
  order.hosts = Hosts{{"127.77.0.1", "node-0"}, {"127.77.0.2", "node-1"}};
  const json::value document = HostsDocument(order);
  EXPECT_EQ(FindHost(document, "node-1").value(), "/a/1/node1");
  EXPECT_EQ(FindHost(document, "127.77.0.1").value(), "/a/1/node0");
  const auto unknown = FindHost(document, "node-9");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().text, HasSubstr("node-0, node-1"));
  EXPECT_FALSE(FindHost(json::value("text"), "x"));
}

TEST(AgentWireTest, RequestIsDecodedUnchanged) {
  const AgentRequest sent{"/tmp/\377", {"a b", "", "'c\n"}, {"X=\376=1", "Y="}};
  const std::string frame = EncodeAgentRequest(sent);
  ASSERT_EQ(AgentPayloadSize(frame), frame.size() - kAgentHeader);
  const auto got = DecodeAgentPayload(std::string_view(frame).substr(kAgentHeader));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->cwd, sent.cwd);
  EXPECT_EQ(got->words, sent.words);
  EXPECT_EQ(got->env, sent.env);
}

TEST(AgentWireTest, MalformedPayloadsAreRejected) {
  using namespace std::string_literals;
  for (const auto& bad : {""s, "/tmp"s, "/tmp\0"s, "/tmp\0x\0"s, "/tmp\0-1\0a\0"s,
                          "/tmp\0"
                          "2\0a\0"s,
                          "/tmp\0"
                          "99999999999\0a\0"s,
                          "/tmp\0"
                          "1\0a\0torn"s,
                          "/tmp\0"
                          "0\0"s})
    EXPECT_FALSE(DecodeAgentPayload(bad)) << testing::PrintToString(bad);
}

// Runs `muster agent` in a child process with its output in a file.
class AgentServiceTest : public testing::Test {
 protected:
  // Two nodes; the second one has no ranks and only serves commands.
  void SetUp() override {
    auto order = bench_.Order(1, {}, 2);
    order.agent = true;
    order.env = {{"WHERE", "node-1"}};
    bench_.Launch(order);
  }
  pid_t Start(const std::vector<std::string>& args) {
    const pid_t pid = fork();
    if (pid == 0) {
      if (chdir(bench_.attempt_dir().c_str()) != 0) _exit(1);
      setenv("MUSTER_ATTEMPT_DIR", bench_.attempt_dir().c_str(), 1);
      setenv("CARRIED", "over", 1);
      setenv("WHERE", "caller", 1);
      const int out =
          open((bench_.attempt_dir() / "out").c_str(), O_RDWR | O_CREAT | O_APPEND, 0644);
      for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(out, fd);
      _exit(RunAgent(args));
    }
    return pid;
  }
  int Run(const std::vector<std::string>& args) { return Wait(Start(args)); }
  static int Wait(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::string Out() const { return os::ReadFile(bench_.attempt_dir() / "out").value_or(""); }
  void End() {
    bench_.Tell({StoppedBy::kRoleEnd, -1, -1, "", -1});
    EXPECT_EQ(bench_.WaitLauncher(1), 0);
    EXPECT_EQ(bench_.Marked(1), 0);
  }

  LaunchBench bench_;
};

TEST_F(AgentServiceTest, CommandRunsOnTheNodeAndItsExitCodeIsReturned) {
  EXPECT_EQ(Run({"node-1", "echo $CARRIED", "$WHERE;", "echo $MUSTER_NODE_MARK; exit 42"}), 42);
  EXPECT_THAT(Out(), HasSubstr("over node-1\n"));
  EXPECT_THAT(Out(), HasSubstr(".1\n"));
  EXPECT_EQ(Run({"127.77.0.2", "kill -9 $$"}), 128 + SIGKILL);
  End();
  EXPECT_FALSE(Lines<LauncherEnded>(bench_.Record(1))[0].failed);
}

TEST_F(AgentServiceTest, DaemonOfACommandRunsUntilTheNodeEnds) {
  EXPECT_EQ(Run({"node-1", "(setsid sleep 1000 > /dev/null 2>&1 &)"}), 0);
  EXPECT_GE(bench_.Marked(1), 1);
  End();
  EXPECT_GE(Lines<NodeClean>(bench_.Record(1))[0].found, 1);
}

TEST_F(AgentServiceTest, CommandReceivesSighupWhenItsCallerDisconnects) {
  const pid_t caller = Start({"node-1",
                              "trap 'echo hangup >> heard; exit' HUP; echo ready > began; "
                              "while :; do sleep 0.02; done"});
  bench_.WaitText(bench_.attempt_dir() / "began", "ready");
  kill(caller, SIGKILL);
  EXPECT_EQ(Wait(caller), -SIGKILL);
  bench_.WaitText(bench_.attempt_dir() / "heard", "hangup");
  End();
}

TEST_F(AgentServiceTest, UnknownHostIsRejectedByName) {
  EXPECT_EQ(Run({"node-7", "true"}), 255);
  EXPECT_THAT(Out(), HasSubstr("node-7"));
  End();
}

TEST_F(AgentServiceTest, InvalidBytesOnTheSocketAreIgnored) {
  ASSERT_EQ(Run({"node-1", "true"}), 0);
  for (const std::string garbage : {"\xff\xff\xff\xff too long", "\x04", "\x04\0\0\0nope"}) {
    const auto socket = ConnectToNode(bench_.NodeDir(1));
    ASSERT_TRUE(socket);
    ASSERT_TRUE(os::WriteAll(socket->get(), garbage));
  }
  EXPECT_EQ(Run({"node-1", "exit 3"}), 3);
  End();
}

TEST_F(AgentServiceTest, StopEndsRunningCommands) {
  const pid_t caller = Start({"node-1", "echo ready > began; exec sleep 1000"});
  bench_.WaitText(bench_.attempt_dir() / "began", "ready");
  bench_.Tell({StoppedBy::kUser, -1, -1, "", -1});
  EXPECT_EQ(Wait(caller), 128 + SIGTERM);
  EXPECT_EQ(bench_.WaitLauncher(1), 0);
}

}  // namespace
}  // namespace muster::launcher
