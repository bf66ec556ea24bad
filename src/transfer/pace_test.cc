#include "transfer/pace.h"

#include <gmock/gmock.h>

namespace muster::transfer {
namespace {

TEST(Pace, NoLimitMeansNoWait) {
  const FakeClock clock;
  EXPECT_EQ(Pace(0, clock).Moved(1 << 30), 0);
}

TEST(Pace, BytesBeyondTheBurstWait) {
  FakeClock clock;
  Pace pace(1'000, clock);
  EXPECT_EQ(pace.Moved(200), 0);
  EXPECT_EQ(pace.Moved(500), 500);
  clock.Advance(500);
  EXPECT_EQ(pace.Moved(100), 100);
  clock.Advance(60'000);
  EXPECT_EQ(pace.Moved(1'200), 1'000);  // idle time does not accumulate credit
}

}  // namespace
}  // namespace muster::transfer
