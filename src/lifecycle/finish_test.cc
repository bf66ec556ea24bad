#include <gtest/gtest.h>

#include "lifecycle/testing/conductor_bench.h"
#include "lifecycle/testing/held_journal.h"

namespace muster::lifecycle {
namespace {

// No write reaches the disk before the test permits it.
class FinishTest : public ConductorTest {
 protected:
  void SetUp() override {
    ConductorTest::SetUp();
    held_ = std::make_unique<HeldJournal>(std::move(journal_));
    conductor_ = std::make_unique<Conductor>(
        Parts{loop_, *pool_, *held_, code_, *engine_, dir_.path(), "/muster"});
  }
  void TearDown() override {
    conductor_.reset();
    pool_.reset();
    loop_.RunPosted();
  }

  JobId SubmitHeld(json::object document) {
    JobId id = 0;
    conductor_->Submit({.document = std::move(document)},
                       [&](const auto& result) { id = result.value().jobs.at(0); });
    LandAll();
    return id;
  }
  int LandAll() {
    int landed = 0;
    for (loop_.RunPosted(); held_->Land(); loop_.RunPosted()) ++landed;
    return landed;
  }

  std::unique_ptr<HeldJournal> held_;
};

TEST_F(FinishTest, DevicesAreFreeBeforeTheEndIsDurable) {
  const JobId first = SubmitHeld(Doc("npu:8", 2));
  const JobId second = SubmitHeld(Doc("npu:8", 2));
  engine_->BeginAll(0);
  LandAll();
  engine_->EndAll(0, kGood);
  loop_.RunPosted();
  EXPECT_EQ(StateOf(first), State::kRunning) << "its end is not durable yet";
  EXPECT_EQ(StateOf(second), State::kStarting);
  EXPECT_EQ(engine_->started.size(), 1u) << "its attempt is not journaled yet";
  LandAll();
  EXPECT_EQ(StateOf(first), State::kSucceeded);
  EXPECT_EQ(engine_->started.size(), 2u);
}

TEST_F(FinishTest, JobThatEndedWhenItsStartIsReadIsWrittenOnce) {
  const JobId id = SubmitHeld(Doc());
  engine_->BeginAll(0);
  engine_->EndAll(0, kGood);
  EXPECT_EQ(LandAll(), 1);
  EXPECT_EQ(StateOf(id), State::kSucceeded);
  std::vector<std::string> states;
  for (const auto& event : held_->Events(id, 0, 100).value())
    if (event.kind == "state") states.emplace_back(GetString(event.data, "to"));
  EXPECT_EQ(states, (std::vector<std::string>{"starting", "running", "succeeded"}));
}

}  // namespace
}  // namespace muster::lifecycle
