#include <gmock/gmock.h>

#include "scheduler/cases_for_test.h"
#include "scheduler/scheduler.h"

namespace muster::scheduler {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kNow = 1'000'000;
constexpr int64_t kMinute = 60'000;

// 1,000,000 ms is shown as "14:00".
std::string ClockText(int64_t wall_ms) {
  const int64_t minutes = 14 * 60 + (wall_ms - kNow) / kMinute;
  std::string minute = std::to_string(minutes % 60);
  return std::to_string(minutes / 60) + ":" + (minute.size() < 2 ? "0" : "") + minute;
}

Why Ask(const Cluster& cluster, const std::vector<Waiting>& queue, JobId id) {
  return Explain(cluster, queue, id, kNow, ClockText);
}

TEST(Explain, CountsNeededFreeAndHeldDevices) {
  const Cluster cluster{Npus({8, 8}), {Holds(17, 1, 5, kNow + 10 * kMinute)}};
  const Why why = Ask(cluster, {Job(20, Npu(2, 8))}, 20);
  EXPECT_EQ(why.text,
            "needs 8 npu on each of 2 nodes; free now: 8 and 3; job 17 holds 5 until about 14:10");
  EXPECT_EQ(why.way_out, "with -N 1 or with -g npu:3 it would start now");
  EXPECT_EQ(why.position, 1);
  EXPECT_TRUE(why.can_ever_fit);
  EXPECT_EQ(why.expected_ms, kNow + 10 * kMinute);
}

TEST(Explain, SaysThatTheEndIsUnknown) {
  const Cluster cluster{Npus({8}), {Holds(17, 0, 5)}};
  const Why why = Ask(cluster, {Job(20, Npu(1, 8))}, 20);
  EXPECT_EQ(why.text, "needs 8 npu on one node; free now: 3; job 17 holds 5, without a time limit");
  EXPECT_EQ(why.expected_ms, std::nullopt);
  EXPECT_EQ(why.way_out, "with -g npu:3 it would start now");
}

TEST(Explain, NamesTheJobAhead) {
  const Cluster cluster{Npus({8}), {Holds(17, 0, 8, kNow + 10 * kMinute)}};
  const std::vector<Waiting> queue{Job(12, Npu(1, 8), 5), Job(13, Npu(1, 2)), Job(14, Npu(1, 1))};
  const Why why = Ask(cluster, queue, 14);
  EXPECT_EQ(why.position, 3);
  EXPECT_EQ(why.text,
            "needs 1 npu on one node; free now: 0; waits behind job 12 (priority 5), which needs 8 "
            "npu on one node; job 17 holds 8 until about 14:10");
  EXPECT_THAT(why.way_out, IsEmpty());
}

TEST(Explain, NamesTheReservationAndSuggestsATimeLimit) {
  const Cluster cluster{Npus({8}), {Holds(17, 0, 5, kNow + 10 * kMinute)}};
  const Why why = Ask(cluster, {Job(12, Npu(1, 8), 5), Job(13, Npu(1, 2))}, 13);
  EXPECT_EQ(why.position, 2);
  EXPECT_THAT(why.text, HasSubstr("free now: 3; that room is kept for job 12 (priority 5)"));
  EXPECT_EQ(why.way_out, "with a time limit of 10m or less it would start now");
}

TEST(Explain, NamesThePreemptedJobs) {
  const Cluster cluster{Npus({8}), {Preemptible(Holds(17, 0, 8))}};
  EXPECT_THAT(Ask(cluster, {Job(20, Npu(1, 8), 1)}, 20).text,
              HasSubstr("job 17 holds 8 and is stopped for it"));
}

TEST(Explain, NamesTheReasonWhyAJobCanNeverStart) {
  const Cluster cluster{Npus({8, 4}), {}};
  const Why large = Ask(cluster, {Job(20, Npu(1, 16))}, 20);
  EXPECT_FALSE(large.can_ever_fit);
  EXPECT_EQ(large.text, "can never start here: needs 16 npu on one node, the largest has 8");
  EXPECT_EQ(large.way_out, "with -g npu:8 it could start here");

  const Why wide = Ask(cluster, {Job(20, Npu(2, 8))}, 20);
  EXPECT_EQ(wide.text,
            "can never start here: needs 8 npu on each of 2 nodes, only one node has so many");
  EXPECT_EQ(wide.way_out, "with -N 1 or with -g npu:4 it could start here");

  const Why kind = Ask(cluster, {Job(20, Demand{{{"worker", 1, "gpu", 1}}})}, 20);
  EXPECT_EQ(kind.text, "can never start here: needs 1 gpu on one node, no node has gpu");
  EXPECT_THAT(kind.way_out, IsEmpty());

  const Demand roles{{{"ps", 2, "npu", 4}, {"worker", 1, "npu", 8}}};
  EXPECT_THAT(Ask(cluster, {Job(20, roles)}, 20).text,
              HasSubstr("more than all nodes together have"));
}

TEST(Explain, CoversEveryRole) {
  const Cluster cluster{Npus({8}), {Holds(17, 0, 8)}};
  const Demand roles{{{"ps", 1, "npu", 1}, {"worker", 1, "npu", 4}}};
  EXPECT_THAT(Ask(cluster, {Job(20, roles)}, 20).text,
              HasSubstr("needs 1 npu on one node (ps) and 4 npu on one node (worker)"));
}

TEST(Explain, SaysThatTheJobIsAboutToStart) {
  const Cluster cluster{Npus({8}), {}};
  const Why why = Ask(cluster, {Job(20, Npu(1, 8))}, 20);
  EXPECT_THAT(why.text, HasSubstr("about to start"));
  EXPECT_EQ(why.position, 0);
}

TEST(Explain, UnknownJobDoesNotWait) {
  EXPECT_THAT(Ask(Cluster{}, {}, 20).text, HasSubstr("job 20 does not wait"));
}

TEST(Explain, TextIsShortOnALargeCluster) {
  Cluster cluster;
  for (int i = 0; i < 500; ++i) {
    cluster.nodes.push_back(NodeInfo{.name = "node-" + std::to_string(i), .devices = {{"npu", 8}}});
    if (i > 0) cluster.running.push_back(Holds(i, i, 4, kNow + kMinute));
  }
  const Why why = Ask(cluster, {Job(1'000, Npu(400, 8))}, 1'000);
  EXPECT_THAT(why.text, HasSubstr("free now: 8 or more on 1 node, at most 4 on 499 others"));
  EXPECT_THAT(why.text, HasSubstr("more jobs hold the rest"));
  EXPECT_LT(why.text.size(), 300u);
  EXPECT_EQ(why.way_out, "with -N 1 or with -g npu:4 it would start now");
}

}  // namespace
}  // namespace muster::scheduler
