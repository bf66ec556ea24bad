#include <gmock/gmock.h>

#include "scheduler/cases_for_test.h"
#include "scheduler/placement.h"

namespace muster::scheduler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kGiB = int64_t{1} << 30;
constexpr int64_t kNow = 1'000'000;

std::string ClockText(int64_t) { return "14:10"; }

// Virtual nodes of one machine.
std::vector<NodeInfo> Shared(std::initializer_list<int> counts, int64_t memory) {
  std::vector<NodeInfo> nodes = Npus(counts);
  for (NodeInfo& node : nodes) {
    node.machine = "host";
    node.memory = memory;
  }
  return nodes;
}

// Machines of their own.
std::vector<NodeInfo> Machines(std::initializer_list<int> counts,
                               std::initializer_list<int64_t> memory) {
  std::vector<NodeInfo> nodes = Npus(counts);
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i].memory = memory.begin()[i];
  return nodes;
}

Demand With(Demand demand, int64_t memory) {
  demand.memory = memory;
  return demand;
}

Holding With(Holding holding, int64_t memory) {
  holding.memory = memory;
  return holding;
}

std::vector<JobId> Started(const Cluster& cluster, const std::vector<Waiting>& queue) {
  return Ids(Decide(cluster, queue, kNow).start);
}

TEST(SchedulerMemory, JobsStartWhileTheirSumFitsTheMachine) {
  const Cluster cluster{Shared({8}, 20 * kGiB), {With(Holds(1, 0, 1), 5 * kGiB)}};
  EXPECT_THAT(Started(cluster, {Job(2, With(Npu(1, 1), 10 * kGiB)),
                                Job(3, With(Npu(1, 1), 5 * kGiB)), Job(4, With(Npu(1, 1), 1))}),
              ElementsAre(2, 3));
}

TEST(SchedulerMemory, JobWithoutMemoryIsNotHeldUp) {
  const Cluster cluster{Shared({8}, 20 * kGiB), {With(Holds(1, 0, 1), 20 * kGiB)}};
  EXPECT_THAT(Started(cluster, {Job(2, With(Npu(1, 1), kGiB)), Job(3, Npu(1, 1))}), ElementsAre(3));
}

TEST(SchedulerMemory, VirtualNodesShareTheMemoryOfTheirMachine) {
  const Cluster cluster{Shared({8, 8, 8}, 20 * kGiB), {}};
  EXPECT_THAT(Started(cluster, {Job(1, With(Npu(3, 1), 7 * kGiB))}), IsEmpty());
  EXPECT_THAT(Started(cluster, {Job(1, With(Npu(3, 1), 6 * kGiB))}), ElementsAre(1));
  EXPECT_THAT(
      Started(cluster, {Job(1, With(Npu(2, 1), 7 * kGiB)), Job(2, With(Npu(1, 1), 7 * kGiB))}),
      ElementsAre(1));
}

TEST(SchedulerMemory, MachinesWithoutTheMemoryAreLeftOut) {
  const Cluster cluster{Machines({1, 8, 8}, {4 * kGiB, 16 * kGiB, 64 * kGiB}), {}};
  const Decision one = Decide(cluster, {Job(1, With(Npu(1, 1), 32 * kGiB))}, kNow);
  ASSERT_EQ(one.start.size(), 1u);
  EXPECT_EQ(Text(one.start[0].allocation), "node-2[0]");
  EXPECT_THAT(Started(cluster, {Job(1, With(Npu(2, 1), 32 * kGiB))}), IsEmpty());
  EXPECT_THAT(Started(cluster, {Job(1, With(Npu(2, 1), 16 * kGiB))}), ElementsAre(1));
}

TEST(SchedulerMemory, UnknownMemoryIsNoLimit) {
  EXPECT_THAT(Started({Npus({8}), {}}, {Job(1, With(Npu(1, 1), 1 << 30))}), ElementsAre(1));
  EXPECT_THAT(MemoryFault(Npus({8}), With(Npu(1, 1), 1000 * kGiB)), IsEmpty());
}

TEST(SchedulerMemory, BackfillKeepsTheMemoryThatTheHeadWaitsFor) {
  const Cluster cluster{Shared({8}, 20 * kGiB), {With(Holds(1, 0, 1, kNow + 1000), 15 * kGiB)}};
  const Waiting head = Job(2, With(Npu(1, 1), 18 * kGiB));
  EXPECT_THAT(Started(cluster, {head, Job(3, With(Npu(1, 1), 4 * kGiB))}), IsEmpty());
  EXPECT_THAT(Started(cluster, {head, Job(3, With(Npu(1, 1), 2 * kGiB))}), ElementsAre(3));
  EXPECT_THAT(Started(cluster, {head, Job(3, With(Npu(1, 1), 4 * kGiB), 0, 500)}), ElementsAre(3));
}

TEST(SchedulerMemory, PreemptionFreesMemory) {
  const Cluster cluster{Shared({8}, 20 * kGiB), {With(Preemptible(Holds(1, 0, 1)), 15 * kGiB)}};
  const Decision decision = Decide(cluster, {Job(2, With(Npu(1, 1), 10 * kGiB), 5)}, kNow);
  EXPECT_THAT(decision.preempt, ElementsAre(1));
}

TEST(SchedulerMemory, ExplainNamesMemoryHolderAndWayOut) {
  const Cluster cluster{Shared({8}, 20 * kGiB), {With(Holds(17, 0, 1, kNow), 15 * kGiB)}};
  const Why why = Explain(cluster, {Job(20, With(Npu(1, 1), 10 * kGiB))}, 20, kNow, ClockText);
  EXPECT_EQ(why.text,
            "needs 1 npu on one node, with 10 GiB of memory; free now: 7; 5 GiB of memory; job 17 "
            "holds 1 and 15 GiB of memory until about 14:10");
  EXPECT_EQ(why.way_out, "with -m 5120M it would start now");
}

TEST(SchedulerMemory, ExplainSaysWhatNeverFits) {
  const Why why = Explain({Shared({8, 8}, 20 * kGiB), {}}, {Job(20, With(Npu(2, 1), 15 * kGiB))},
                          20, kNow, ClockText);
  EXPECT_FALSE(why.can_ever_fit);
  EXPECT_THAT(why.text, HasSubstr("15 GiB of memory on each"));
  EXPECT_THAT(why.text, HasSubstr("at most 20 GiB for all nodes of the job together"));
}

TEST(SchedulerMemory, FaultNamesTheLimit) {
  EXPECT_EQ(MemoryFault(Shared({8}, 20 * kGiB), With(Npu(1, 1), 21 * kGiB)),
            "at most 20 GiB for the node");
  EXPECT_EQ(MemoryFault(Shared({8, 8}, 20 * kGiB), With(Npu(2, 1), 11 * kGiB)),
            "at most 20 GiB for all nodes of the job together");
  EXPECT_EQ(MemoryFault(Machines({8, 8}, {kGiB, 2 * kGiB}), With(Npu(2, 1), 2 * kGiB)),
            "at most 2 GiB on each node, or fewer nodes");
  EXPECT_THAT(MemoryFault(Shared({8}, 20 * kGiB), With(Npu(1, 99), 20 * kGiB)), IsEmpty());
  EXPECT_THAT(MemoryFault(Shared({8}, 20 * kGiB), Npu(1, 1)), IsEmpty());
}

}  // namespace
}  // namespace muster::scheduler
