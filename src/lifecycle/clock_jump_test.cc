#include <gtest/gtest.h>

#include "lifecycle/testing/conductor_bench.h"

namespace muster::lifecycle {
namespace {

constexpr int64_t kDay = 86'400'000;
constexpr int64_t kDecade = 3652 * kDay;

// The wall clock may be set back or forward at any time. It serves display and estimates of end
// times only.
class ClockJumpTest : public ConductorTest, public testing::WithParamInterface<int64_t> {
 protected:
  void Jump() { loop_.fake_clock().JumpWall(GetParam()); }
  json::object Limited(std::string_view devices, int nodes, std::string_view time) {
    json::object document = Doc(devices, nodes);
    document["limits"] = json::object{{"time", time}};
    return document;
  }
};
INSTANTIATE_TEST_SUITE_P(Jumps, ClockJumpTest, testing::Values(-kDecade, -kDay, -1, kDay, kDecade));

TEST_P(ClockJumpTest, JobSurvivesClockJumpsAtEveryStep) {
  const JobId id = SubmitOne(Doc());
  Jump();
  Begin(0);
  Jump();
  EXPECT_EQ(StateOf(id), State::kRunning);
  End(0, kGood);
  Jump();
  EXPECT_EQ(StateOf(id), State::kSucceeded);
  Crash();
  Jump();
  Open();
  EXPECT_EQ(StateOf(id), State::kSucceeded);
  const auto events = journal_->Events(id, 0, 100).value();
  for (size_t i = 1; i < events.size(); ++i) EXPECT_GT(events[i].seq, events[i - 1].seq);
}

TEST_P(ClockJumpTest, DevicesAreFreeWhenTheJobEndsWhateverTheClock) {
  const JobId holder = SubmitOne(Limited("npu:8", 2, "1h"));
  Begin(0);
  const JobId next = SubmitOne(Doc("npu:8", 2));
  Jump();
  const JobId later = SubmitOne(Limited("npu:8", 1, "1m"));
  EXPECT_EQ(StateOf(next), State::kQueued);
  EXPECT_EQ(StateOf(later), State::kQueued);
  EXPECT_TRUE(conductor_->Why(next)) << "a guess from such a clock may be wrong, but not harmful";
  EXPECT_EQ(engine_->started.size(), 1u);
  End(0, kGood);
  EXPECT_EQ(StateOf(holder), State::kSucceeded);
  EXPECT_EQ(StateOf(next), State::kStarting) << "the first in the queue comes first";
  EXPECT_EQ(StateOf(later), State::kQueued);
}

TEST_P(ClockJumpTest, RetryAfterASecondDoesNotDependOnTheWallClock) {
  engine_->start_status = Fail(Code::kNoSpace, "no room");
  SubmitOne(Doc());
  ASSERT_EQ(engine_->started.size(), 1u);
  Jump();
  engine_->start_status = {};
  loop_.Advance(1000);
  Settle();
  EXPECT_EQ(engine_->started.size(), 2u);
}

}  // namespace
}  // namespace muster::lifecycle
