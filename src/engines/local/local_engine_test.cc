#include "engines/local/local_engine.h"

#include <fcntl.h>

#include <csignal>
#include <cstdlib>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "engines/contract_suite.h"
#include "engines/local/inventory.h"
#include "os/epoll_loop.h"
#include "os/process_table.h"
#include "os/sweep.h"
#include "os/temp_dir.h"
#include "os/testing/cgroup_probe.h"

namespace muster::engines {
namespace {

class LocalEngineUnderTest final : public EngineUnderTest {
 public:
  LocalEngineUnderTest() { Restart(); }

  Engine& engine() override { return *engine_; }
  const os::Path& scratch() const override { return scratch_.path(); }
  bool RunUntil(const std::function<bool()>& done) override {
    bool met = false;
    const auto limit = loop_.After(20'000, [&] { loop_.Stop(); });
    std::function<void()> look = [&] {
      met = done();
      if (met) return loop_.Stop();
      look_ = loop_.After(5, look);
    };
    loop_.Post(look);
    loop_.Run();
    loop_.Cancel(limit);
    loop_.Cancel(look_);
    return met;
  }
  void Restart() override {
    engine_.reset();
    engine_ = std::make_unique<LocalEngine>(LocalEngine::Parts{
        loop_, pool_, files_, ParseVirtualNodes("2x8npu", 2).value(), MUSTER_LAUNCHER});
  }
  void KillLauncher(const AttemptRef& attempt, int node) override {
    const auto bytes = os::ReadFile(attempt.dir + "/node" + std::to_string(node) + "/record");
    const auto part = DecodeRecord(bytes.value());
    for (const auto& line : part->lines)
      if (const auto* began = std::get_if<LauncherBegan>(&line.body)) ::kill(began->pid, SIGKILL);
  }

 private:
  os::TempDir scratch_;
  os::EpollLoop loop_;
  os::Pool pool_{1};
  os::FileWatch files_{loop_};
  os::Loop::Id look_ = 0;
  std::unique_ptr<LocalEngine> engine_;
};

std::unique_ptr<EngineUnderTest> MakeLocalEngine() {
  return std::make_unique<LocalEngineUnderTest>();
}

INSTANTIATE_TEST_SUITE_P(Local, EngineContractTest, testing::Values(&MakeLocalEngine));

// What only this engine promises.
class LocalEngineTest : public EngineContractTest {};
INSTANTIATE_TEST_SUITE_P(Local, LocalEngineTest, testing::Values(&MakeLocalEngine));

// A launcher makes its control group and then begins its record: killed in between, it leaves a
// group that no record names.
TEST_P(LocalEngineTest, TheGroupOfALauncherThatDiedBeforeItsFirstWordIsRemoved) {
  const AttemptRef attempt = NewAttempt();
  const std::string name = os::NodeGroupName(attempt.job, attempt.attempt, 0, attempt.token);
  const auto group = os::Cgroup::Create(name, std::nullopt);
  if (!group && !os::ProbeCgroups().makes_groups)
    GTEST_SKIP() << "this user can make no control groups";
  ASSERT_TRUE(group) << group.error().text;
  NodeOrder order;
  order.node = 0;
  order.dir = attempt.dir + "/node0";
  ASSERT_TRUE(os::MakeDirs(order.dir));
  ASSERT_TRUE(os::WriteFileAtomic(order.dir + "/record", ""));
  ASSERT_TRUE(engine().Recover(attempt, std::vector<NodeStatus>(1), {order}));
  ASSERT_TRUE(WaitEnded(attempt, 1));
  EXPECT_FALSE(os::Cgroup::Find(name));
  engine().Release(attempt);
}

// A launcher may be adopted before it has written a word, for instance while the disk is full, and
// then say everything at once.
TEST_P(LocalEngineTest, AnAdoptedLauncherThatSaysAllItsWordsAtOnceIsHeard) {
  const AttemptRef attempt = NewAttempt();
  NodeOrder order;
  order.node = 0;
  order.dir = attempt.dir + "/node0";
  ASSERT_TRUE(os::MakeDirs(order.dir));
  auto record = os::Open(order.dir + "/record", O_WRONLY | O_CREAT | O_APPEND);
  ASSERT_TRUE(record && os::TryLock(record->get()).value());
  ASSERT_TRUE(engine().Recover(attempt, std::vector<NodeStatus>(1), {order}));
  const std::string words = EncodeRecordLine({1, 1, LauncherBegan{.token = attempt.token}}) +
                            EncodeRecordLine({1, 1, NodeClean{}}) +
                            EncodeRecordLine({1, 1, LauncherEnded{}});
  ASSERT_TRUE(os::WriteAll(record->get(), words));
  record->Reset();
  ASSERT_TRUE(WaitEnded(attempt, 1));
  EXPECT_EQ(told_.Count<LauncherEnded>(attempt, 0), 1);
  EXPECT_TRUE(told_.lost.empty());
  engine().Release(attempt);
}

TEST_P(LocalEngineTest, AStopIsHeardAfterALineThatWasCutOff) {
  const AttemptRef attempt = NewAttempt();
  const auto orders = Orders(attempt, 1, "echo up; exec sleep 1000");
  ASSERT_TRUE(engine().Start(attempt, orders));
  ASSERT_TRUE(under_test_->RunUntil([&] { return told_.Count<RankStarted>(attempt, 0) == 1; }));
  {
    auto control = os::Open(attempt.dir + "/control", O_WRONLY | O_APPEND);
    ASSERT_TRUE(control) << "it has its room from the start, for the disk may be full later";
    ASSERT_TRUE(os::WriteAll(control->get(), "0badcafe {\"stop\":"));
  }
  ASSERT_TRUE(engine().Stop(attempt, {.by = StoppedBy::kUser, .grace_ms = 100}));
  ASSERT_TRUE(WaitEnded(attempt, 1));
  EXPECT_EQ(told_.First<StopBegan>(attempt, 0)->by, StoppedBy::kUser);
  engine().Release(attempt);
}

// Such a build makes the log beforehand: what a sanitizer has to say must go there.
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);

// How launchers come to their orders.
class WarmLauncherTest : public LocalEngineTest {
 protected:
  // Runs one node to its end; the pid of its launcher. The command begins in a folder of the node.
  pid_t RunOne(bool isolate = false, const std::string& command = "pwd") {
    const AttemptRef attempt = NewAttempt(++attempts_);
    auto orders = Orders(attempt, 1, "cd " + attempt.dir + "/node0; " + command);
    orders[0].isolate = isolate;
    EXPECT_TRUE(engine().Start(attempt, orders));
    EXPECT_TRUE(WaitEnded(attempt, 1));
    EXPECT_TRUE(told_.lost.empty());
    const auto* began = told_.First<LauncherBegan>(attempt, 0);
    engine().Release(attempt);
    EXPECT_EQ(std::filesystem::exists(attempt.dir + "/node0/launcher.log"), kSanitized)
        << "nothing was logged";
    became_all_ = began != nullptr && began->notes.empty();
    return began == nullptr ? -1 : began->pid;
  }
  // Whether the machine gave the last one all that was ordered; virtual nodes take a right to
  // mount.
  bool became_all() const { return became_all_; }
  bool WaitGone(pid_t pid) {
    return under_test_->RunUntil([&] {
      const auto process = os::ReadProcess(pid);
      return !process || !os::IsAlive(*process);
    });
  }

 private:
  int attempts_ = 0;
  bool became_all_ = false;
};
INSTANTIATE_TEST_SUITE_P(Local, WarmLauncherTest, testing::Values(&MakeLocalEngine));

TEST_P(WarmLauncherTest, OneLauncherCarriesOutOneOrderAfterTheOther) {
  const pid_t first = RunOne();
  EXPECT_EQ(RunOne(), first);
  EXPECT_EQ(RunOne(), first);
}

TEST_P(WarmLauncherTest, WhileItWaitsNothingOfItsNodeIsSeenInIt) {
  const pid_t pid = RunOne();
  const std::string proc = "/proc/" + std::to_string(pid);
  const std::string data = under_test_->scratch().string();
  EXPECT_THAT(os::CommandLine(pid), testing::Not(testing::HasSubstr(data)));
  EXPECT_EQ(std::filesystem::read_symlink(proc + "/cwd"), "/");
  for (const auto& fd : std::filesystem::directory_iterator(proc + "/fd"))
    EXPECT_THAT(std::filesystem::read_symlink(fd.path()).string(),
                testing::Not(testing::HasSubstr(data)));
}

TEST_P(WarmLauncherTest, OneThatDiedWhileItWaitedIsNotMissed) {
  const pid_t first = RunOne();
  ASSERT_EQ(::kill(first, SIGKILL), 0);
  ASSERT_TRUE(WaitGone(first));
  EXPECT_GT(RunOne(), 0);
}

TEST_P(WarmLauncherTest, OneThatIsAVirtualNodeServesOrdersForThatNodeAlone) {
  const pid_t first = RunOne(/*isolate=*/true);
  if (!became_all()) {
    EXPECT_TRUE(WaitGone(first)) << "what could not become the whole node is not kept";
    return;
  }
  EXPECT_EQ(RunOne(/*isolate=*/true), first);
  EXPECT_NE(RunOne(), first);
  EXPECT_EQ(RunOne(/*isolate=*/true), first);
}

TEST_P(WarmLauncherTest, OneWhoseRankChangedTheHostsFileIsNotUsedAgain) {
  const pid_t first = RunOne(/*isolate=*/true, "echo 10.0.0.9 other >> hosts");
  EXPECT_TRUE(WaitGone(first));
  EXPECT_GT(RunOne(/*isolate=*/true), 0);
}

TEST_P(WarmLauncherTest, NoneWaitsForAnEngineThatIsGone) {
  const pid_t first = RunOne();
  under_test_->Restart();
  under_test_->engine().SetEvents(&told_);
  EXPECT_TRUE(WaitGone(first));
}

// The rank is quick: its launcher may be stopped before its first word is in the record, which a
// launcher writes when its ranks are started.
TEST_P(LocalEngineTest, AStopWakesALauncherThatWasStopped) {
  const AttemptRef attempt = NewAttempt();
  const os::Path pid_file = under_test_->scratch() / "launcher_pid";
  const auto orders = Orders(attempt, 1,
                             fmt::format("echo $PPID > {0}.new; mv {0}.new {0}; "
                                         "kill -STOP $PPID; exec sleep 1000",
                                         pid_file.string()));
  ASSERT_TRUE(engine().Start(attempt, orders));
  ASSERT_TRUE(under_test_->RunUntil([&] {
    const auto pid = os::ReadFile(pid_file);
    const auto launcher = os::ReadProcess(pid ? std::atoi(pid->c_str()) : 0);
    return launcher && launcher->state == 'T';
  }));
  ASSERT_TRUE(engine().Stop(attempt, {.by = StoppedBy::kUser, .grace_ms = 100}));
  ASSERT_TRUE(WaitEnded(attempt, 1));
  EXPECT_EQ(told_.Count<LauncherBegan>(attempt, 0), 1);
  engine().Release(attempt);
}

}  // namespace
}  // namespace muster::engines
