#include "dialect/plan.h"

#include <gmock/gmock.h>

#include "dialect/cases_for_test.h"

namespace muster::dialect {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

// The environment of a process on this node.
Pairs Whole(const NodeOrder& order, size_t rank = 0) {
  Pairs env = order.ranks[rank].env;
  env.insert(env.end(), order.env.begin(), order.env.end());
  return env;
}

std::vector<NodeOrder> Orders(const JobSpec& spec) {
  auto orders = PlanSketch(spec);
  EXPECT_TRUE(orders.has_value()) << (orders ? "" : orders.error().text);
  return orders ? *orders : std::vector<NodeOrder>(1, NodeOrder{.ranks = {RankOrder{}}});
}

TEST(Plan, NamesFoldersHostsAndLimits) {
  JobSpec spec = PlainSpec("custom", 2, "npu", 1, "train.py");
  spec.time_limit_ms = 5'000;
  spec.outputs = {{"model", ""}};
  const NodeOrder order = Orders(spec)[1];
  EXPECT_EQ(order.dir, "/data/jobs/7/attempts/2/node1");
  EXPECT_EQ(order.work_dir, "/data/jobs/7/attempts/2/node1/work");
  EXPECT_EQ(order.ranks[0].cwd, "/data/jobs/7/attempts/2/node1/work/code");
  EXPECT_EQ(order.hostname, "node-1");
  EXPECT_TRUE(order.isolate);
  EXPECT_EQ(order.time_limit_ms, 5'000);
  EXPECT_THAT(*order.hosts,
              ElementsAre(Pair("127.77.0.1", "node-0"), Pair("127.77.0.2", "node-1")));
  EXPECT_THAT(order.folders, ElementsAre("/data/jobs/7/outputs", "/data/jobs/7/outputs/model"));
}

TEST(Plan, EachRankHasAFolderOnRequest) {
  JobSpec spec = PlainSpec("custom", 1, "cpu", 2, "train.py");
  spec.workdir = "rank";
  const NodeOrder order = Orders(spec)[0];
  EXPECT_TRUE(order.code_per_rank);
  EXPECT_THAT(order.ranks[1].cwd, testing::EndsWith("/node0/work/rank1"));
}

TEST(Plan, JobWithoutCodeHasAnEmptyFolder) {
  Places places = SomePlaces();
  places.code_dir.clear();
  const JobSpec spec = PlainSpec("custom", 1, "cpu", 1, "true");
  const auto orders = Plan(spec, SketchAllocation(spec), places);
  EXPECT_EQ(orders->at(0).ranks[0].cwd, "/data/jobs/7/attempts/2/node0/work");
}

TEST(Plan, UsersCanReplaceDefaultsButNotRankVariables) {
  JobSpec spec = PlainSpec("pytorch", 1, "gpu", 2, "train.py");
  spec.roles[0].env = {{"OMP_NUM_THREADS", "5"},
                       {"RANK", "99"},
                       {"CUDA_VISIBLE_DEVICES", "7"},
                       {"GLOO_SOCKET_IFNAME", "eth0"},
                       {"PYTHONUNBUFFERED", ""}};
  const Pairs env = Whole(Orders(spec)[0], 1);
  EXPECT_EQ(Env(env, "OMP_NUM_THREADS"), "5");
  EXPECT_EQ(Env(env, "RANK"), "1");
  EXPECT_EQ(Env(env, "CUDA_VISIBLE_DEVICES"), "0,1");
  EXPECT_EQ(Env(env, "GLOO_SOCKET_IFNAME"), "eth0");
  EXPECT_EQ(Env(env, "PYTHONUNBUFFERED"), "");
}

TEST(Plan, CpuSlotsAreSharedAmongRanksAsThreads) {
  JobSpec spec = PlainSpec("custom", 1, "cpu", 8, "train.py");
  spec.roles[0].ranks = 2;
  EXPECT_EQ(Env(Whole(Orders(spec)[0], 0), "OMP_NUM_THREADS"), "4");
  spec.roles[0].ranks = 20;
  EXPECT_EQ(Env(Whole(Orders(spec)[0], 0), "OMP_NUM_THREADS"), "1");
  EXPECT_EQ(Env(Whole(Orders(PlainSpec("custom", 1, "npu", 8, "x"))[0], 0), "OMP_NUM_THREADS"),
            "1");
}

TEST(Plan, EveryRankSeesAllDevicesOfItsShare) {
  JobSpec spec = PlainSpec("custom", 1, "npu", 2, "train.py");
  Allocation allocation = SketchAllocation(spec);
  allocation.nodes[0].devices = {6, 3};
  const auto orders = Plan(spec, allocation, SomePlaces());
  const Pairs env = Whole(orders->at(0), 1);
  EXPECT_EQ(Env(env, "ASCEND_RT_VISIBLE_DEVICES"), "3,6");
  EXPECT_EQ(Env(env, "ASCEND_DEVICE_ID"), "1");
  EXPECT_EQ(Env(env, "MUSTER_DEVICES"), "3,6");
  EXPECT_EQ(Env(Whole(Orders(PlainSpec("custom", 1, "cpu", 2, "x"))[0], 0), "CUDA_VISIBLE_DEVICES"),
            "(unset)");
}

TEST(Plan, NodesOnOneMachineHaveDistinctNames) {
  JobSpec spec = PlainSpec("custom", 1, "cpu", 1, "train.py");
  spec.roles.push_back(spec.roles[0]);
  spec.roles[1].name = "ps";
  Allocation allocation = SketchAllocation(spec);
  allocation.nodes[1].node = "node-0";
  const auto orders = Plan(spec, allocation, SomePlaces());
  EXPECT_EQ(orders->at(1).hostname, "node-0.1");
  EXPECT_EQ(orders->at(1).node_name, "node-0");
}

TEST(Plan, UnknownFrameworksAreRejectedWithASuggestion) {
  const auto unknown = PlanSketch(PlainSpec("pytroch", 1, "cpu", 1, "x"));
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, Code::kInvalid);
  EXPECT_THAT(unknown.error().next, HasSubstr("pytorch"));
}

TEST(Plan, AllocationOfAnotherJobIsRejected) {
  const JobSpec spec = PlainSpec("pytorch", 2, "cpu", 1, "x");
  Allocation few = SketchAllocation(spec);
  few.nodes.pop_back();
  EXPECT_EQ(Plan(spec, few, SomePlaces()).error().code, Code::kInvalid);
  Allocation many = SketchAllocation(PlainSpec("pytorch", 3, "cpu", 1, "x"));
  EXPECT_EQ(Plan(spec, many, SomePlaces()).error().code, Code::kInvalid);
  Allocation portless = SketchAllocation(spec);
  portless.nodes[0].ports.clear();
  EXPECT_THAT(Plan(spec, portless, SomePlaces()).error().text, HasSubstr("0 ports"));
  EXPECT_EQ(Plan(spec, Allocation{}, SomePlaces()).error().code, Code::kInvalid);
  EXPECT_EQ(Plan(JobSpec{}, Allocation{}, SomePlaces()).error().code, Code::kInvalid);
}

TEST(Pytorch, TorchrunRunsOncePerNodeWithoutRankVariables) {
  const auto orders = Orders(PlainSpec("pytorch", 2, "cpu", 4, "torchrun train.py"));
  ASSERT_EQ(orders[1].ranks.size(), 1u);
  EXPECT_EQ(orders[1].ranks[0].rank, 1);
  const Pairs env = Whole(orders[1], 0);
  for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MUSTER_RANK", "MUSTER_LOCAL_RANK"})
    EXPECT_EQ(Env(env, name), "(unset)") << name;
  EXPECT_EQ(Env(env, "PET_NNODES"), "2");
  EXPECT_EQ(Env(env, "PET_NODE_RANK"), "1");
  EXPECT_EQ(Env(env, "PET_NPROC_PER_NODE"), "4");
  EXPECT_EQ(Env(env, "PET_MASTER_ADDR"), "127.77.0.1");
  EXPECT_EQ(Env(env, "PET_MASTER_PORT"), "29500");
}

TEST(Pytorch, TorchElasticVariablesAreNotSet) {
  for (const char* run : {"train.py", "torchrun train.py"}) {
    for (const NodeOrder& order : Orders(PlainSpec("pytorch", 1, "gpu", 2, run))) {
      for (const RankOrder& rank : order.ranks)
        EXPECT_EQ(Env(rank.env, "TORCHELASTIC_USE_AGENT_STORE"), "(unset)");
    }
  }
}

TEST(Pytorch, OneProcessUsesSeveralAcceleratorsButNotCpuSlots) {
  JobSpec spec = PlainSpec("pytorch", 2, "gpu", 8, "train.py");
  spec.roles[0].ranks = 1;
  EXPECT_EQ(Env(Whole(Orders(spec)[0], 0), "RANK"), "(unset)");
  EXPECT_EQ(Env(Whole(Orders(spec)[0], 0), "PET_NPROC_PER_NODE"), "8");
  spec.roles[0].devices.kind = "cpu";
  EXPECT_EQ(Env(Whole(Orders(spec)[1], 0), "RANK"), "1");
  EXPECT_EQ(Env(Whole(Orders(spec)[1], 0), "OMP_NUM_THREADS"), "8");
}

TEST(Pytorch, RanksOfTorchrunAndOfMusterHaveSeparateWorlds) {
  JobSpec spec = PlainSpec("pytorch", 1, "cpu", 2, "torchrun train.py");
  spec.roles.push_back(PlainSpec("pytorch", 1, "cpu", 1, "eval.py").roles[0]);
  spec.roles[1].name = "evaluator";
  const auto orders = Orders(spec);
  EXPECT_EQ(Env(Whole(orders[0], 0), "PET_NNODES"), "1");
  EXPECT_EQ(Env(Whole(orders[1], 0), "RANK"), "0");
  EXPECT_EQ(Env(Whole(orders[1], 0), "WORLD_SIZE"), "1");
  EXPECT_EQ(Env(Whole(orders[1], 0), "MASTER_ADDR"), "127.77.0.2");
}

TEST(Plan, EveryFrameworkOfTheJobFileExists) {
  std::vector<std::string> names;
  for (const FrameworkInfo& info : Frameworks()) names.emplace_back(info.name);
  EXPECT_THAT(names, testing::ElementsAreArray(kFrameworks));
}

TEST(Mpi, OneMpirunAndAgentsOnOtherNodes) {
  const auto orders = Orders(PlainSpec("mpi", 2, "npu", 8, "train.py"));
  ASSERT_EQ(orders[0].ranks.size(), 1u);
  EXPECT_THAT(orders[1].ranks, IsEmpty());
  EXPECT_TRUE(orders[0].agent);
  EXPECT_TRUE(orders[1].agent);
  EXPECT_THAT(orders[0].ranks[0].argv,
              ElementsAre("mpirun", "--hostfile", orders[0].dir + "/hostfile.worker", "-np", "16",
                          "/bin/sh", "-c", "cd \"$MUSTER_WORK_DIR\" && exec python3 train.py"));
  EXPECT_EQ(*orders[0].files[0].content, "node-0 slots=8\nnode-1 slots=8\n");
  EXPECT_EQ(Env(orders[1].env, "MUSTER_WORK_DIR"), orders[1].work_dir + "/code");
  EXPECT_EQ(Env(orders[1].env, "ASCEND_RT_VISIBLE_DEVICES"), "0,1,2,3,4,5,6,7");
  EXPECT_EQ(Env(Whole(orders[0], 0), "MUSTER_RANK"), "(unset)");
}

TEST(Mpi, MpirunOfTheUserIsKept) {
  const auto orders = Orders(PlainSpec("mpi", 2, "cpu", 2, "mpirun -np 3 ./a.out"));
  EXPECT_THAT(orders[0].ranks[0].argv, ElementsAre("mpirun", "-np", "3", "./a.out"));
  EXPECT_EQ(Env(Whole(orders[0], 0), "OMPI_MCA_orte_default_hostfile"),
            orders[0].dir + "/hostfile");
  EXPECT_EQ(Env(Whole(orders[0], 0), "OMPI_MCA_plm_rsh_agent"), "/opt/muster agent");
}

TEST(Mpi, DaemonFoldersAreInsideTheJobUnlessSocketPathsAreTooLong) {
  const JobSpec spec = PlainSpec("mpi", 2, "npu", 8, "./a.out");
  Places places = SomePlaces();
  const auto folder = [&] {
    const NodeOrder order = Plan(spec, SketchAllocation(spec), places).value()[0];
    return Env(order.env, "OMPI_MCA_orte_tmpdir_base");
  };
  EXPECT_EQ(folder(), places.attempt_dir + "/node0");
  places.attempt_dir = "/data/" + std::string(80, 'd');
  EXPECT_EQ(folder(), "(unset)");
}

TEST(Mpi, UnsupportedMpirunJobsAreRejected) {
  JobSpec spec = PlainSpec("mpi", 1, "cpu", 1, "x");
  spec.workdir = "rank";
  EXPECT_THAT(PlanSketch(spec).error().next, HasSubstr("workdir: node"));

  spec = PlainSpec("mpi", 1, "cpu", 1, "x");
  Places places = SomePlaces();
  places.muster = "/opt/my tools/muster";
  EXPECT_EQ(Plan(spec, SketchAllocation(spec), places).error().code, Code::kInvalid);

  spec.roles[0].service = true;
  EXPECT_THAT(PlanSketch(spec).error().text, HasSubstr("service"));

  spec = PlainSpec("mpi", 1, "cpu", 1, "mpirun x");
  spec.roles.push_back(spec.roles[0]);
  spec.roles[1].name = "b";
  EXPECT_THAT(PlanSketch(spec).error().text, HasSubstr("several roles"));
}

TEST(SketchAllocation, AddressesAreValidForManyNodes) {
  const Allocation allocation = SketchAllocation(PlainSpec("custom", 300, "cpu", 1, "x"));
  EXPECT_EQ(allocation.nodes[253].address, "127.77.0.254");
  EXPECT_EQ(allocation.nodes[254].address, "127.77.1.1");
}

}  // namespace
}  // namespace muster::dialect
