#include <gtest/gtest.h>

#include "lifecycle/testing/conductor_bench.h"
#include "lifecycle/testing/held_journal.h"

namespace muster::lifecycle {
namespace {

using StopTest = ConductorTest;

ExitReport StoppedFor(StoppedBy by) {
  return {.how = ExitClass::kStopped, .signal = 15, .stopped_by = by};
}

TEST_F(StopTest, PreemptedJobStoppedByItsUserDoesNotReturn) {
  const JobId victim = Preempt().victim;
  ASSERT_TRUE(Stop(victim));
  End(0, StoppedFor(StoppedBy::kPreemption));
  EXPECT_EQ(StateOf(victim), State::kStopped);
  EXPECT_EQ(conductor_->Find(victim)->reason, "stopped by ann");
}

TEST_F(StopTest, FailedJobStoppedByItsUserIsNotRetried) {
  json::object document = Doc();
  document["retries"] = 3;
  const JobId id = SubmitOne(document);
  Begin(0);
  engine_->Say(engine_->started[0], 0, NodeFailed{0, kBad, "rank 0"});
  Settle();
  ASSERT_TRUE(Stop(id));
  Crash();  // the request must survive the crash
  Open();
  End(0, kBad);
  EXPECT_EQ(StateOf(id), State::kFailed);
  EXPECT_EQ(conductor_->Find(id)->attempts.size(), 1u);
}

TEST_F(StopTest, StopWhileReturningToTheQueueIsHonoured) {
  json::object document = Doc();
  document["retries"] = 3;
  const JobId id = SubmitOne(document);
  Begin(0);
  engine_->Say(engine_->started[0], 0, NodeFailed{0, kBad, "rank 0"});
  engine_->EndAll(0, kBad);  // its return to the queue is not durable yet
  EXPECT_EQ(Stop(id).value(), State::kStopped);
  EXPECT_EQ(StateOf(id), State::kStopped);
  EXPECT_EQ(engine_->started.size(), 1u);
}

// At any crash the events of a job and its row agree.
TEST_F(StopTest, EveryWriteLeavesRowAndEventsConsistent) {
  HeldJournal held(std::move(journal_));
  conductor_ = std::make_unique<Conductor>(
      Parts{loop_, *pool_, held, code_, *engine_, dir_.path(), "/muster"});
  const auto land_all = [&] {
    int landed = 0;
    for (loop_.RunPosted(); held.Land(); loop_.RunPosted(), ++landed) {
      std::string state = "queued";
      for (const auto& event : held.Events(1, 0, 100).value())
        if (event.kind == "state") state = GetString(event.data, "to");
      EXPECT_EQ(Name(held.FindJob(1).value()->state), state);
    }
    return landed;
  };
  conductor_->Submit({.document = Doc()}, [](const auto& result) { ASSERT_TRUE(result); });
  EXPECT_GE(land_all(), 2);
  engine_->BeginAll(0);
  EXPECT_GE(land_all(), 1);
  conductor_->Stop(1, "ann", std::nullopt, [](const auto& answer) { ASSERT_TRUE(answer); });
  EXPECT_GE(land_all(), 1);
  engine_->EndAll(0, StoppedFor(StoppedBy::kUser));
  EXPECT_GE(land_all(), 1);
  EXPECT_EQ(held.FindJob(1).value()->state, State::kStopped);
  conductor_.reset();
  pool_.reset();
}

}  // namespace
}  // namespace muster::lifecycle
