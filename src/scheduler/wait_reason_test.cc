#include "scheduler/wait_reason.h"

#include <gmock/gmock.h>

#include "scheduler/cases_for_test.h"

namespace muster::scheduler {
namespace {

TEST(WaitReasons, EveryKindOfWaitHasItsReason) {
  const Cluster cluster{Npus({8}), {Holds(17, 0, 5)}};
  const WaitReasons reasons(
      cluster, {Job(1, Npu(1, 16)), Job(2, Npu(1, 2)), Job(3, Npu(1, 8)), Job(4, Npu(1, 4))}, 1000);
  EXPECT_EQ(reasons.Of(1), "can never start here: needs 16 npu on one node, the largest has 8");
  EXPECT_EQ(reasons.Of(2), "is about to start");
  EXPECT_EQ(reasons.Of(3), "needs 8 npu on one node; free now: 1");
  EXPECT_EQ(reasons.Of(4), "waits behind job 3; needs 4 npu on one node; free now: 1");
  EXPECT_EQ(reasons.Of(5), "");
}

TEST(NeverFits, NamesTheLimitAndWhatWouldFit) {
  const auto never = NeverFits(Npus({8, 8}), Npu(99, 8));
  ASSERT_TRUE(never);
  EXPECT_EQ(never->text, "needs 8 npu on each of 99 nodes, only 2 nodes have so many");
  EXPECT_EQ(never->way_out, "with -N 2 it could start here");
  EXPECT_FALSE(NeverFits(Npus({8, 8}), Npu(2, 8)));
}

}  // namespace
}  // namespace muster::scheduler
