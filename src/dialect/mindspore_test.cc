#include <set>

#include <gmock/gmock.h>

#include "dialect/cases_for_test.h"

namespace muster::dialect {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

JobSpec Spec(int nodes, std::string kind, int count, std::string run = "train.py") {
  return PlainSpec("mindspore", nodes, std::move(kind), count, std::move(run));
}

TEST(MindsporeCluster, SchedulerRunsBesideTheWorkersAndIsNotCounted) {
  const auto orders = PlanSketch(Spec(2, "npu", 8)).value();
  ASSERT_EQ(orders[0].ranks.size(), 9u);
  ASSERT_EQ(orders[1].ranks.size(), 8u);
  const RankOrder& scheduler = orders[0].ranks[8];
  EXPECT_EQ(scheduler.rank, 16);
  EXPECT_TRUE(scheduler.service);
  EXPECT_EQ(scheduler.argv, orders[0].ranks[0].argv);
  EXPECT_EQ(Env(scheduler.env, "MS_ROLE"), "MS_SCHED");
  EXPECT_EQ(Env(scheduler.env, "RANK_ID"), "(unset)");
  EXPECT_EQ(Env(orders[1].env, "MS_WORKER_NUM"), "16");
  EXPECT_EQ(Env(orders[1].ranks[0].env, "MS_NODE_ID"), "8");
  EXPECT_EQ(Env(orders[1].env, "RANK_TABLE_FILE"), "(unset)");
}

TEST(MindsporeCluster, SchedulerAndServersMayBeRoles) {
  JobSpec spec = Spec(1, "cpu", 2);
  Role scheduler = spec.roles[0], server = spec.roles[0];
  scheduler.name = "scheduler";
  scheduler.ranks = 1;
  server.name = "ps";
  spec.roles = {scheduler, server, spec.roles[0]};
  const auto orders = PlanSketch(spec).value();
  EXPECT_EQ(Env(orders[0].ranks[0].env, "MS_ROLE"), "MS_SCHED");
  EXPECT_EQ(Env(orders[1].ranks[1].env, "MS_ROLE"), "MS_PSERVER");
  EXPECT_EQ(Env(orders[2].ranks[1].env, "MS_NODE_ID"), "1");
  EXPECT_EQ(Env(orders[2].env, "MS_SERVER_NUM"), "2");
  EXPECT_EQ(Env(orders[2].env, "MS_SCHED_HOST"), "127.77.0.1");
  EXPECT_EQ(orders[0].ranks.size(), 1u);
}

TEST(MindsporeRankTable, AllNodesHaveTheSameTableAndEachRankItsNumber) {
  JobSpec spec = Spec(2, "npu", 8);
  spec.launch.start = "rank_table";
  const auto orders = PlanSketch(spec).value();
  EXPECT_EQ(*orders[0].files.at(0).content, *orders[1].files.at(0).content);
  EXPECT_EQ(Env(orders[1].env, "RANK_TABLE_FILE"), orders[1].files[0].path);
  std::set<std::string> ids;
  for (const NodeOrder& order : orders)
    for (const RankOrder& rank : order.ranks) ids.insert(Env(rank.env, "RANK_ID"));
  EXPECT_EQ(ids.size(), 16u);
  EXPECT_EQ(Env(orders[0].env, "MS_SCHED_HOST"), "(unset)");
}

TEST(MindsporeRankTable, OldVersionsUseTheLabFormWithMachineNumbers) {
  JobSpec spec = Spec(1, "npu", 2);
  spec.launch.version = "0.3";
  Allocation allocation = SketchAllocation(spec);
  allocation.nodes[0].devices = {4, 5};
  const auto orders = Plan(spec, allocation, SomePlaces()).value();
  EXPECT_THAT(*orders[0].files.at(0).content, HasSubstr("\"deploy_mode\": \"lab\""));
  EXPECT_EQ(Env(orders[0].ranks[1].env, "DEVICE_ID"), "5");
  EXPECT_EQ(Env(orders[0].env, "ASCEND_RT_VISIBLE_DEVICES"), "(unset)");
  spec.launch.version = "2.2";
  spec.launch.start = "rank_table";
  const auto now = Plan(spec, allocation, SomePlaces()).value();
  EXPECT_EQ(Env(now[0].ranks[1].env, "DEVICE_ID"), "1");
  EXPECT_EQ(Env(now[0].env, "ASCEND_RT_VISIBLE_DEVICES"), "4,5");
  EXPECT_THAT(*now[0].files.at(0).content, HasSubstr("\"device_id\": \"5\""));
}

TEST(MindsporeRankTable, AddressesComeFromTheNodesOrTheJobsRule) {
  JobSpec spec = Spec(2, "npu", 1);
  spec.launch.start = "rank_table";
  Allocation allocation = SketchAllocation(spec);
  for (NodeShare& share : allocation.nodes) {
    share.is_virtual = false;
    share.device_addresses = {{0, "10.9.9." + std::to_string(share.index + 1)}};
  }
  EXPECT_THAT(*Plan(spec, allocation, SomePlaces()).value()[0].files[0].content,
              HasSubstr("10.9.9.2"));
  spec.launch.device_addresses = "10.8.{s}.{1+d}";
  EXPECT_THAT(*Plan(spec, allocation, SomePlaces()).value()[0].files[0].content,
              HasSubstr("10.8.1.1"));
  spec.launch.device_addresses.clear();
  allocation.nodes[1].device_addresses = {{7, "10.9.9.7"}};
  EXPECT_EQ(Plan(spec, allocation, SomePlaces()).error().text,
            "node node-1 does not know the address of its device 0");
  allocation.nodes[1].device_addresses.clear();
  EXPECT_EQ(Plan(spec, allocation, SomePlaces()).error().text,
            "a rank table over several servers needs device addresses, and node node-1 has no "
            "/etc/hccn.conf");
}

TEST(MindsporeRankTable, UnsuitableJobsAreRejected) {
  JobSpec spec = Spec(1, "gpu", 2);
  spec.launch.start = "rank_table";
  EXPECT_EQ(PlanSketch(spec).error().text,
            "a rank table is for one rank on each NPU, role worker has 2 ranks on gpu:2");
  spec = Spec(2, "npu", 3);
  spec.launch.version = "0.3";
  EXPECT_EQ(PlanSketch(spec).error().text,
            "the rank table of this job would be refused by HCCL: group_list[0]: found 6 devices "
            "on 2 servers, expected 1, 2, 4, 8 or 16 on each");
  spec = Spec(2, "npu", 2);
  spec.launch.start = "rank_table";
  spec.launch.device_addresses = "10.0.0.{d}";
  EXPECT_THAT(PlanSketch(spec).error().text, HasSubstr("10.0.0.0 stands twice"));
}

TEST(MindsporeMsrun, MissingFlagsAreAdded) {
  const auto orders = PlanSketch(Spec(2, "npu", 8, "msrun --master_port 9000 train.py -x")).value();
  EXPECT_THAT(orders[1].ranks.at(0).argv,
              ElementsAre("msrun", "--join=True", "--master_port", "9000", "--worker_num=16",
                          "--local_worker_num=8", "--master_addr=127.77.0.1", "--node_rank=1",
                          "--log_dir=/data/jobs/7/attempts/2/node1/msrun", "train.py", "-x"));
  EXPECT_EQ(Env(orders[1].ranks[0].env, "MUSTER_RANK"), "(unset)");
  EXPECT_EQ(Env(orders[1].env, "MS_ROLE"), "(unset)");
}

TEST(MindsporeMsrun, WaitsForItsWorkers) {
  const auto orders = PlanSketch(Spec(2, "npu", 8, "msrun --join=False train.py")).value();
  EXPECT_THAT(orders[0].ranks[0].argv, Contains("--join=True"));
  EXPECT_THAT(orders[0].ranks[0].argv, testing::Not(Contains("--join=False")));
  EXPECT_THAT(orders[0].notes, ElementsAre(HasSubstr("--join=True")));
  EXPECT_THAT(orders[1].notes, IsEmpty());
}

TEST(MindsporeMsrun, SchedulerIsAddedIfMsrunWouldNotStartOne) {
  JobSpec spec = Spec(2, "npu", 8, "msrun train.py");
  Allocation allocation = SketchAllocation(spec);
  auto orders = Plan(spec, allocation, SomePlaces()).value();
  ASSERT_EQ(orders[0].ranks.size(), 2u);
  EXPECT_THAT(orders[0].ranks[1].argv, ElementsAre("python3", "train.py"));
  EXPECT_EQ(Env(orders[0].ranks[1].env, "MS_WORKER_NUM"), "16");
  for (NodeShare& share : allocation.nodes) share.is_virtual = false;
  allocation.nodes[0].address = "10.0.0.1";
  EXPECT_EQ(Plan(spec, allocation, SomePlaces()).value()[0].ranks.size(), 1u);
}

TEST(MindsporeMsrun, SchedulerIsAddedOnASingleMachineUnlessTheUserNamesItsAddress) {
  JobSpec spec = Spec(1, "npu", 8, "msrun train.py");
  Allocation allocation = SketchAllocation(spec);
  allocation.nodes[0].is_virtual = false;
  allocation.nodes[0].address = "127.0.0.1";
  const auto orders = Plan(spec, allocation, SomePlaces()).value();
  EXPECT_THAT(orders[0].ranks.at(0).argv, Contains("--master_addr=127.0.0.2"));
  EXPECT_EQ(Env(orders[0].ranks.at(1).env, "MS_SCHED_HOST"), "127.0.0.2");
  spec.roles[0].run.text = "msrun --master_addr 127.0.0.1 train.py";
  EXPECT_EQ(Plan(spec, allocation, SomePlaces()).value()[0].ranks.size(), 1u);
}

TEST(MindsporeMsrun, SchedulerIsAtTheAddressInTheUsersFlags) {
  const auto orders = PlanSketch(Spec(2, "npu", 8, "msrun --master_port 9000 train.py")).value();
  EXPECT_EQ(Env(orders[0].ranks.at(1).env, "MS_SCHED_PORT"), "9000");
}

TEST(MindsporeMsrun, PlainCommandIsWrappedOnRequest) {
  JobSpec spec = Spec(1, "npu", 2);
  spec.launch.start = "msrun";
  const auto orders = PlanSketch(spec).value();
  EXPECT_EQ(orders[0].ranks[0].argv.front(), "msrun");
  EXPECT_EQ(orders[0].ranks[0].argv.back(), "train.py");
}

TEST(MindsporeSingle, IsUsedForOneRankAndOnRequest) {
  const auto one = PlanSketch(Spec(1, "npu", 1)).value();
  EXPECT_EQ(one[0].ranks.size(), 1u);
  EXPECT_EQ(Env(one[0].ranks[0].env, "RANK_SIZE"), "1");
  EXPECT_EQ(Env(one[0].ranks[0].env, "DEVICE_ID"), "0");
  JobSpec spec = Spec(1, "npu", 4);
  spec.launch.start = "single";
  const auto four = PlanSketch(spec).value();
  EXPECT_EQ(Env(four[0].ranks[3].env, "RANK_ID"), "0");
  EXPECT_EQ(Env(four[0].ranks[3].env, "DEVICE_ID"), "3");
}

TEST(MindsporeMpirun, SetsOnlyTheVariablesOfMpi) {
  for (const char* run : {"mpirun -np 4 python3 train.py", "train.py"}) {
    JobSpec spec = Spec(2, "gpu", 2, run);
    spec.launch.start = "mpirun";
    const auto orders = PlanSketch(spec).value();
    EXPECT_EQ(orders[0].ranks.at(0).argv.front(), "mpirun");
    EXPECT_EQ(Env(orders[0].env, "MS_SCHED_HOST"), "(unset)");
    EXPECT_TRUE(orders[1].agent);
  }
}

}  // namespace
}  // namespace muster::dialect
