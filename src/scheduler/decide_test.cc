#include <chrono>

#include <gmock/gmock.h>

#include "scheduler/cases_for_test.h"
#include "scheduler/scheduler.h"

namespace muster::scheduler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kNow = 1'000'000;
constexpr int64_t kMinute = 60'000;

TEST(Decide, StartsFittingJobsInOrder) {
  const Cluster cluster{Npus({8, 8}), {}};
  const Decision decision =
      Decide(cluster, {Job(1, Npu(1, 8)), Job(2, Npu(1, 4)), Job(3, Npu(1, 4))}, kNow);
  ASSERT_THAT(Ids(decision.start), ElementsAre(1, 2, 3));
  EXPECT_EQ(Text(decision.start[0].allocation), "node-0[0,1,2,3,4,5,6,7]");
  EXPECT_EQ(Text(decision.start[1].allocation), "node-1[0,1,2,3]");
  EXPECT_EQ(Text(decision.start[2].allocation), "node-1[4,5,6,7]");
}

TEST(Decide, AllocationHasNodesAndDevices) {
  const Cluster cluster{Npus({8, 8}), {}};
  const Decision decision = Decide(cluster, {Job(1, Npu(2, 1))}, kNow);
  ASSERT_EQ(decision.start.size(), 1u);
  const NodeShare& share = decision.start[0].allocation.nodes[1];
  EXPECT_EQ(share.index, 1);
  EXPECT_EQ(share.role, "worker");
  EXPECT_EQ(share.node, "node-1");
  EXPECT_EQ(share.address, "127.77.0.2");
  EXPECT_TRUE(share.is_virtual);
  EXPECT_EQ(share.kind, "npu");
  EXPECT_THAT(share.ports, IsEmpty());
}

TEST(Decide, SkipsAJobThatCanNeverFit) {
  const Cluster cluster{Npus({8}), {}};
  const Decision decision = Decide(cluster, {Job(1, Npu(1, 16)), Job(2, Npu(1, 8))}, kNow);
  EXPECT_THAT(Ids(decision.start), ElementsAre(2));
}

TEST(Decide, ReservesDevicesOfTheHeadFromJobsWithoutALimit) {
  // Job 9 holds 5 devices of node 0. The head needs all 8, so the 3 free devices stay free.
  const Cluster cluster{Npus({8}), {Holds(9, 0, 5)}};
  const Decision decision = Decide(cluster, {Job(1, Npu(1, 8)), Job(2, Npu(1, 1))}, kNow);
  EXPECT_THAT(decision.start, IsEmpty());
}

TEST(Decide, BackfillsDevicesOutsideTheReservation) {
  const Cluster cluster{Npus({8, 4}), {Holds(9, 0, 5)}};
  const Decision decision = Decide(cluster, {Job(1, Npu(1, 8)), Job(2, Npu(1, 4))}, kNow);
  ASSERT_THAT(Ids(decision.start), ElementsAre(2));
  EXPECT_EQ(Text(decision.start[0].allocation), "node-1[0,1,2,3]");
}

TEST(Decide, BackfillsReservedDevicesWithAJobThatEndsInTime) {
  const Cluster cluster{Npus({8}), {Holds(9, 0, 5, kNow + 10 * kMinute)}};
  const Decision decision = Decide(
      cluster,
      {Job(1, Npu(1, 8)), Job(2, Npu(1, 1), 0, 11 * kMinute), Job(3, Npu(1, 1), 0, 10 * kMinute)},
      kNow);
  EXPECT_THAT(Ids(decision.start), ElementsAre(3));
}

TEST(Decide, DoesNotBackfillReservedDevicesWithoutAKnownEnd) {
  const Cluster cluster{Npus({8}), {Holds(9, 0, 5)}};
  const Decision decision =
      Decide(cluster, {Job(1, Npu(1, 8)), Job(2, Npu(1, 1), 0, kMinute)}, kNow);
  EXPECT_THAT(decision.start, IsEmpty());
}

TEST(Decide, ReservesTheNodeWhoseLimitsEndFirst) {
  const Cluster cluster{Npus({8, 8}),
                        {Holds(8, 0, 8, kNow + 60 * kMinute), Holds(9, 1, 5, kNow + kMinute)}};
  const Decision decision =
      Decide(cluster, {Job(1, Npu(1, 8)), Job(2, Npu(1, 3), 0, 30 * kMinute)}, kNow);
  EXPECT_THAT(decision.start, IsEmpty()) << "node-1 is due in a minute";
}

TEST(Decide, PreemptsTheYoungestOfEqualJobs) {
  const Cluster cluster{Npus({8, 8}), {Preemptible(Holds(8, 0, 8)), Preemptible(Holds(9, 1, 8))}};
  const Decision decision = Decide(cluster, {Job(20, Npu(1, 8), 5)}, kNow);
  EXPECT_THAT(decision.preempt, ElementsAre(9));
  EXPECT_THAT(decision.start, IsEmpty());
}

TEST(Decide, PreemptsAsFewJobsAsPossible) {
  Holding small_a = Preemptible(Holds(7, 0, 4)), small_b = Preemptible(Holds(8, 0, 4));
  small_b.allocation.nodes[0].devices = {4, 5, 6, 7};
  const Cluster cluster{Npus({8, 8}), {Preemptible(Holds(6, 1, 8)), small_a, small_b}};
  EXPECT_THAT(Decide(cluster, {Job(20, Npu(1, 8), 5)}, kNow).preempt, ElementsAre(6));
}

TEST(Decide, PreemptsTheLowestPriorityFirst) {
  const Cluster cluster{Npus({8, 8}),
                        {Preemptible(Holds(8, 0, 8), -1), Preemptible(Holds(9, 1, 8), 3)}};
  EXPECT_THAT(Decide(cluster, {Job(20, Npu(1, 8), 5)}, kNow).preempt, ElementsAre(8));
}

TEST(Decide, PreemptsNoJobIfItWouldNotHelp) {
  const Cluster cluster{Npus({8, 8}), {Preemptible(Holds(8, 0, 8)), Holds(9, 1, 1)}};
  EXPECT_THAT(Decide(cluster, {Job(20, Npu(2, 8), 5)}, kNow).preempt, IsEmpty());
}

TEST(Decide, DoesNotPreemptJobsOfEqualPriorityOrNotPreemptible) {
  const Cluster equal{Npus({8}), {Preemptible(Holds(8, 0, 8), 5)}};
  EXPECT_THAT(Decide(equal, {Job(20, Npu(1, 8), 5)}, kNow).preempt, IsEmpty());
  const Cluster firm{Npus({8}), {Holds(8, 0, 8)}};
  EXPECT_THAT(Decide(firm, {Job(20, Npu(1, 8), 5)}, kNow).preempt, IsEmpty());
}

TEST(Decide, DoesNotPreemptWhileStoppingJobsFreeEnough) {
  Holding leaving = Preemptible(Holds(9, 1, 8));
  leaving.stopping = true;
  const Cluster cluster{Npus({8, 8}), {Preemptible(Holds(8, 0, 8)), leaving}};
  EXPECT_THAT(Decide(cluster, {Job(20, Npu(1, 8), 5)}, kNow).preempt, IsEmpty());
}

TEST(Decide, KeepsPreemptedDevicesForTheHead) {
  Holding leaving = Holds(9, 0, 5);
  leaving.stopping = true;
  const Cluster cluster{Npus({8}), {leaving}};
  const Decision decision =
      Decide(cluster, {Job(1, Npu(1, 8), 5), Job(2, Npu(1, 1), 0, kMinute)}, kNow);
  EXPECT_THAT(decision.start, IsEmpty());
}

TEST(Decide, JobOnARemovedNodeHoldsNothing) {
  const Cluster cluster{Npus({8}), {Holds(9, 7, 8)}};
  EXPECT_THAT(Ids(Decide(cluster, {Job(1, Npu(1, 8))}, kNow).start), ElementsAre(1));
}

TEST(Decide, PassedLimitCountsAsEndingNow) {
  const Cluster cluster{Npus({8}), {Holds(9, 0, 5, kNow - kMinute)}};
  const Decision decision = Decide(cluster, {Job(1, Npu(1, 8)), Job(2, Npu(1, 1), 0, 1)}, kNow);
  EXPECT_THAT(decision.start, IsEmpty());
}

// 1,000 nodes of 8 devices, most of them busy; 10,000 waiting jobs of 200 different sizes.
Cluster BusyCluster() {
  Cluster cluster;
  for (int i = 0; i < 1'000; ++i) {
    NodeInfo node{.name = "node-" + std::to_string(i), .devices = {{"cpu", 64}, {"npu", 8}}};
    cluster.nodes.push_back(node);
    Holding holding = Holds(i + 1, i, 5 + i % 4);
    if (i % 2 == 0) holding.until_ms = kNow + i * kMinute;
    cluster.running.push_back(i % 3 == 0 ? Preemptible(holding) : holding);
  }
  return cluster;
}

TEST(Decide, LongQueueOnALargeClusterTakesMilliseconds) {
  const Cluster cluster = BusyCluster();
  std::vector<Waiting> queue;
  for (int i = 0; i < 10'000; ++i) {
    queue.push_back(Job(10'000 + i, Npu(1 + i % 40, 4 + i % 5), i < 10 ? 5 : 0,
                        i % 2 == 0 ? std::optional(kMinute * (i % 100)) : std::nullopt));
  }
  const auto began = std::chrono::steady_clock::now();
  const Decision decision = Decide(cluster, queue, kNow);
  const auto took = std::chrono::steady_clock::now() - began;
  RecordProperty("microseconds",
                 int(std::chrono::duration_cast<std::chrono::microseconds>(took).count()));
  // A few ms in optimised builds; the bound allows for sanitizers on a loaded machine.
  EXPECT_LT(took, std::chrono::seconds(5));
  EXPECT_FALSE(decision.preempt.empty() && decision.start.empty());
}

}  // namespace
}  // namespace muster::scheduler
