#include "launcher/time_limit.h"

#include <csignal>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "os/fake_loop.h"

namespace muster::launcher {
namespace {

NodeOrder Limited(int64_t limit_ms, int64_t warning_ms, const std::string& signal) {
  NodeOrder order;
  order.time_limit_ms = limit_ms;
  order.warning_ms = warning_ms;
  order.warning_signal = signal;
  return order;
}

TEST(TimeLimitTest, SignalNamesWithAndWithoutPrefix) {
  EXPECT_EQ(SignalNumber("USR1"), SIGUSR1);
  EXPECT_EQ(SignalNumber("SIGUSR2"), SIGUSR2);
  EXPECT_EQ(SignalNumber("TERM"), SIGTERM);
  for (const char* none : {"", "?", "SIG", "SIG?", "usr1", "9", "NOSUCH"})
    EXPECT_EQ(SignalNumber(none), 0);
}

TEST(TimeLimitTest, WarningPrecedesTheLimit) {
  const auto plan = PlanLimit(Limited(3'600'000, 60'000, "USR1"));
  EXPECT_EQ(plan.stop_ms, 3'600'000);
  EXPECT_EQ(plan.warn_ms, 3'540'000);
  EXPECT_EQ(plan.signal, SIGUSR1);
}

TEST(TimeLimitTest, WarningLongerThanTheLimitComesAtHalfTime) {
  EXPECT_EQ(PlanLimit(Limited(30'000, 60'000, "USR1")).warn_ms, 15'000);
}

TEST(TimeLimitTest, NoWarningWithoutSignalAndNoTimerWithoutLimit) {
  EXPECT_FALSE(PlanLimit(Limited(30'000, 10'000, "")).warn_ms);
  EXPECT_FALSE(PlanLimit(Limited(30'000, 0, "USR1")).warn_ms);
  EXPECT_FALSE(PlanLimit(NodeOrder{}).stop_ms);
}

TEST(TimeLimitTest, HugeAndNegativeLimitsDoNotOverflow) {
  EXPECT_LT(*PlanLimit(Limited(std::numeric_limits<int64_t>::max(), 1, "USR1")).stop_ms,
            std::numeric_limits<int64_t>::max() / 2);
  EXPECT_EQ(PlanLimit(Limited(-5, 1, "USR1")).stop_ms, 0);
}

TEST(TimeLimitTest, WarnsThenStopsUnlessCancelled) {
  os::FakeLoop loop;
  TimeLimit limit(loop);
  std::string said;
  limit.Start(
      PlanLimit(Limited(1000, 400, "USR1")), [&] { said += "warn "; }, [&] { said += "stop"; });
  loop.Advance(599);
  EXPECT_EQ(said, "");
  loop.Advance(1);
  EXPECT_EQ(said, "warn ");
  loop.Advance(400);
  EXPECT_EQ(said, "warn stop");
  limit.Start(PlanLimit(Limited(1000, 0, "")), [] {}, [&] { said = "late"; });
  limit.Cancel();
  loop.Advance(5000);
  EXPECT_EQ(said, "warn stop");
}

}  // namespace
}  // namespace muster::launcher
