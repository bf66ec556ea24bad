#include <sys/resource.h>

#include <csignal>

#include <gtest/gtest.h>

#include "lifecycle/testing/conductor_bench.h"

namespace muster::lifecycle {
namespace {

// While it exists, no file of this process can grow.
class NoRoom {
 public:
  NoRoom() {
    ::signal(SIGXFSZ, SIG_IGN);
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit none{0, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  }
  ~NoRoom() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  NoRoom(const NoRoom&) = delete;
  NoRoom& operator=(const NoRoom&) = delete;

 private:
  rlimit before_{};
};

const Status kFull = Fail(Code::kNoSpace, "cannot write: no space left on device");

class FullDiskTest : public ConductorTest {
 protected:
  void LetTimePass() {
    loop_.Advance(1000);
    Settle();
  }
};

TEST_F(FullDiskTest, SubmitIsRefusedWithoutATrace) {
  {
    const NoRoom no_room;
    const auto refused = Submit(Doc(), "key");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().error.code, Code::kNoSpace);
    EXPECT_FALSE(refused.error().error.next.empty());
  }
  const auto accepted = Submit(Doc(), "key");
  ASSERT_TRUE(accepted);
  EXPECT_FALSE(accepted->repeated);
  EXPECT_EQ(journal_->ListJobs({}).value().size(), 1u);
}

TEST_F(FullDiskTest, StartWaitsForSpace) {
  engine_->start_status = kFull;
  const JobId id = SubmitOne(Doc());
  EXPECT_EQ(StateOf(id), State::kStarting);
  EXPECT_NE(conductor_->Find(id)->reason.find("no space left"), std::string::npos);
  LetTimePass();
  EXPECT_EQ(engine_->started.size(), 2u);
  engine_->start_status = {};
  LetTimePass();
  ASSERT_EQ(engine_->started.size(), 3u);
  EXPECT_EQ(engine_->started[2].ref.token, engine_->started[0].ref.token) << "the same attempt";
  LetTimePass();
  EXPECT_EQ(engine_->started.size(), 3u);
  Begin(2);
  End(2, kGood);
  EXPECT_EQ(StateOf(id), State::kSucceeded);
}

TEST_F(FullDiskTest, StopDuringAWaitingStartPrecedesTheStart) {
  engine_->start_status = kFull;
  engine_->stop_status = kFull;
  const JobId id = SubmitOne(Doc());
  ASSERT_TRUE(Stop(id));
  engine_->stops.clear();
  engine_->start_status = engine_->stop_status = {};
  LetTimePass();
  ASSERT_FALSE(engine_->stops.empty());
  EXPECT_EQ(engine_->stops[0].second.by, StoppedBy::kUser);
}

TEST_F(FullDiskTest, QueuedJobIsStoppedDurablyOrKeepsWaiting) {
  SubmitOne(Doc("npu:8", 2));
  const JobId id = SubmitOne(Doc("npu:8", 2));
  {
    const NoRoom no_room;
    const auto refused = Stop(id);
    ASSERT_FALSE(refused) << "after a crash it would run";
    EXPECT_EQ(refused.error().code, Code::kNoSpace);
  }
  EXPECT_EQ(StateOf(id), State::kQueued);
  EXPECT_EQ(Stop(id).value(), State::kStopped);
  Crash();
  Open();
  EXPECT_EQ(StateOf(id), State::kStopped);
}

TEST_F(FullDiskTest, StopReachesTheNodesAndIsJournaledLater) {
  const JobId id = SubmitOne(Doc());
  Begin(0);
  {
    const NoRoom no_room;
    EXPECT_EQ(Stop(id).value(), State::kStopping);
    EXPECT_EQ(engine_->stops.size(), 1u);
    ExitReport stopped{.how = ExitClass::kStopped};
    stopped.stopped_by = StoppedBy::kUser;
    End(0, stopped);
    EXPECT_EQ(StateOf(id), State::kStopping) << "its end is not on disk";
  }
  LetTimePass();
  EXPECT_EQ(StateOf(id), State::kStopped);
  EXPECT_EQ(journal_->FindJob(id).value()->state, State::kStopped);
}

TEST_F(FullDiskTest, StopKnownOnlyFromTheRecordIsAUserStop) {
  const JobId id = SubmitOne(Doc());
  const engines::FakeEngine::Started began = engine_->started[0];
  engine_->Say(engine_->started[0], 0, LauncherBegan{.token = began.ref.token, .pid = 1});
  engine_->Say(engine_->started[0], 0, StopBegan{StoppedBy::kUser, "stopped by ann"});
  Settle();
  EXPECT_EQ(StateOf(id), State::kStopping);
  engine_->Say(engine_->started[0], 0, NodeClean{});
  engine_->Say(engine_->started[0], 0, LauncherEnded{});
  Settle();
  EXPECT_EQ(StateOf(id), State::kStopped);
}

TEST_F(FullDiskTest, DelayedWriteDoesNotUndoAnEnd) {
  const JobId id = SubmitOne(Doc());
  {
    const NoRoom no_room;
    Begin(0);  // lines from the record wait for space and are retried after a second
  }
  End(0, kGood);
  EXPECT_EQ(journal_->FindJob(id).value()->state, State::kSucceeded);
  LetTimePass();
  EXPECT_EQ(journal_->FindJob(id).value()->state, State::kSucceeded);
  EXPECT_TRUE(journal_->FindJob(id).value()->attempts[0].exit);
}

TEST_F(FullDiskTest, AttemptThatCannotBeResumedYetIsNotEnded) {
  const JobId id = SubmitOne(Doc());
  Begin(0);
  Crash();
  recover_status_ = kFull;
  Open();
  EXPECT_EQ(StateOf(id), State::kRunning) << "its ranks may well run";
  engine_->recover_status = {};
  LetTimePass();
  ASSERT_EQ(engine_->started.size(), 2u);
  End(1, kGood);
  EXPECT_EQ(StateOf(id), State::kSucceeded);
}

TEST_F(FullDiskTest, GroupStopIsAcknowledgedWhenAllStopsAreDurable) {
  json::object document = Doc("npu:8", 2);
  document["sweep"] = json::object{{"lr", json::array{1, 2, 3}}};
  const auto sweep = Submit(std::move(document)).value();
  std::optional<Result<int>> answer;
  const auto stop = [&] {
    conductor_->StopGroup(sweep.group, "ann", [&](auto result) { answer = std::move(result); });
    Settle();
  };
  {
    const NoRoom no_room;
    stop();
    ASSERT_TRUE(answer && !*answer);
    EXPECT_EQ(answer->error().code, Code::kNoSpace);
  }
  stop();
  EXPECT_TRUE(answer->has_value());
  EXPECT_EQ(StateOf(sweep.jobs[1]), State::kStopped);
  EXPECT_EQ(StateOf(sweep.jobs[2]), State::kStopped);
}

}  // namespace
}  // namespace muster::lifecycle
