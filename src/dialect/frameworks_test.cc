#include <gmock/gmock.h>

#include "dialect/cases_for_test.h"

namespace muster::dialect {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Seen(const NodeOrder& order, size_t rank, std::string_view name) {
  const std::string own = Env(order.ranks[rank].env, name);
  return own == "(unset)" ? Env(order.env, name) : own;
}

Role RoleOf(std::string name, int nodes, std::string kind, int count) {
  Role role = PlainSpec("custom", nodes, std::move(kind), count, "t.py").roles[0];
  role.name = std::move(name);
  return role;
}

TEST(Tensorflow, OneProcessPerNodeForGpusAndOnePerNpu) {
  const auto gpu = PlanSketch(PlainSpec("tensorflow", 2, "gpu", 8, "t.py")).value();
  ASSERT_EQ(gpu[1].ranks.size(), 1u);
  EXPECT_EQ(Env(gpu[1].ranks[0].env, "TF_CONFIG"),
            R"({"cluster":{"worker":["127.77.0.1:29500","127.77.0.2:29500"]},)"
            R"("task":{"type":"worker","index":1}})");
  const auto npu = PlanSketch(PlainSpec("tensorflow", 2, "npu", 8, "t.py")).value();
  EXPECT_EQ(npu[1].ranks.size(), 8u);
  EXPECT_EQ(Seen(npu[1], 0, "CM_WORKER_SIZE"), "16");
  EXPECT_EQ(Seen(npu[1], 0, "RANK_TABLE_FILE"), "(unset)");
}

TEST(Tensorflow, TasksAreNamedByRoleAndTheEvaluatorIsOutside) {
  JobSpec spec = PlainSpec("tensorflow", 1, "cpu", 1, "t.py");
  spec.roles = {RoleOf("chief", 1, "cpu", 1), RoleOf("trainer", 1, "cpu", 2),
                RoleOf("ps", 1, "cpu", 1), RoleOf("evaluator", 1, "cpu", 1)};
  const auto orders = PlanSketch(spec).value();
  const std::string config = Env(orders[1].ranks[1].env, "TF_CONFIG");
  EXPECT_THAT(config, HasSubstr(R"("task":{"type":"worker","index":1})"));
  EXPECT_THAT(config, HasSubstr(R"("ps":["127.77.0.3:29500"])"));
  EXPECT_THAT(config, testing::Not(HasSubstr("127.77.0.4")));
  EXPECT_THAT(Env(orders[3].ranks[0].env, "TF_CONFIG"),
              HasSubstr(R"({"type":"evaluator","index":0})"));
}

TEST(Tensorflow, JobsThatTfConfigCannotExpressAreRejected) {
  JobSpec spec = PlainSpec("tensorflow", 1, "cpu", 1, "t.py");
  spec.roles = {RoleOf("chief", 2, "cpu", 1)};
  EXPECT_EQ(PlanSketch(spec).error().text, "TensorFlow takes one chief, this job has 2");
  spec = PlainSpec("tensorflow", 1000, "gpu", 8, "t.py");
  spec.launch.start = "rank";
  EXPECT_THAT(PlanSketch(spec).error().next, HasSubstr("start: node"));
}

TEST(Horovod, CrossRanksFollowTheLocalRankIfNodesDiffer) {
  JobSpec spec = PlainSpec("horovod", 1, "gpu", 4, "t.py");
  spec.roles = {RoleOf("big", 1, "gpu", 3), RoleOf("small", 1, "gpu", 1)};
  const auto orders = PlanSketch(spec).value();
  EXPECT_EQ(Seen(orders[0], 0, "HOROVOD_CROSS_SIZE"), "2");
  EXPECT_EQ(Seen(orders[0], 2, "HOROVOD_CROSS_SIZE"), "1");
  EXPECT_EQ(Seen(orders[1], 0, "HOROVOD_CROSS_RANK"), "1");
  EXPECT_EQ(Seen(orders[1], 0, "HOROVOD_RANK"), "3");
}

TEST(Worlds, HorovodDeepspeedAndJaxExcludeServices) {
  const std::pair<const char*, const char*> names[] = {
      {"horovod", "HOROVOD_RANK"}, {"deepspeed", "RANK"}, {"jax", "JAX_PROCESS_ID"}};
  for (const auto& [framework, rank] : names) {
    JobSpec spec = PlainSpec(framework, 1, "cpu", 1, "t.py");
    spec.roles = {RoleOf("feed", 1, "cpu", 2), RoleOf("worker", 1, "cpu", 2)};
    spec.roles[0].service = true;
    const auto orders = PlanSketch(spec).value();
    EXPECT_EQ(Seen(orders[0], 1, rank), "(unset)");
    EXPECT_EQ(Seen(orders[1], 1, rank), "1");
  }
}

TEST(Horovod, RendezvousIsAtTheFirstNodesLauncher) {
  const auto orders = PlanSketch(PlainSpec("horovod", 2, "cpu", 2, "t.py")).value();
  ASSERT_TRUE(orders[0].rendezvous.has_value());
  ASSERT_TRUE(orders[1].rendezvous.has_value());
  EXPECT_TRUE(orders[0].rendezvous->serve);
  EXPECT_FALSE(orders[1].rendezvous->serve);
  EXPECT_EQ(Seen(orders[1], 0, "HOROVOD_GLOO_RENDEZVOUS_ADDR"), orders[0].rendezvous->address);
  EXPECT_EQ(Seen(orders[1], 0, "HOROVOD_GLOO_RENDEZVOUS_PORT"),
            std::to_string(orders[0].rendezvous->port));
  EXPECT_EQ(Seen(orders[1], 0, "HOROVOD_HOSTNAME"), "node-1");
}

TEST(Pytorch, RankZeroStartsBeforeRanksThatConnectToIt) {
  const auto heads = [](const JobSpec& spec) {
    std::vector<int64_t> found;
    for (const NodeOrder& order : PlanSketch(spec).value()) found.push_back(order.head_start_ms);
    return found;
  };
  EXPECT_THAT(heads(PlainSpec("pytorch", 2, "gpu", 8, "t.py")), ElementsAre(100, 0));
  EXPECT_THAT(heads(PlainSpec("pytorch", 2, "gpu", 1, "t.py")), ElementsAre(0, 0)) << "alone there";
  EXPECT_THAT(heads(PlainSpec("pytorch", 2, "gpu", 8, "torchrun t.py")), ElementsAre(0, 0));
}

TEST(Horovod, HorovodrunGetsHostsAndAnSshReplacement) {
  const auto orders =
      PlanSketch(PlainSpec("horovod", 2, "gpu", 8, "horovodrun -np 4 python3 t.py")).value();
  EXPECT_THAT(orders[1].ranks, IsEmpty());
  EXPECT_TRUE(orders[1].agent);
  const std::string dir = orders[0].dir;
  EXPECT_THAT(orders[0].ranks.at(0).argv,
              ElementsAre("/bin/sh", "-c", "PATH=" + dir + "/bin:$PATH exec \"$0\" \"$@\"",
                          "horovodrun", "--hostfile", dir + "/hostfile", "--network-interface",
                          "lo", "-np", "4", "python3", "t.py"));
  EXPECT_EQ(*orders[0].files.at(0).content, "node-0 slots=8\nnode-1 slots=8\n");
  EXPECT_EQ(*orders[0].files.at(1).content, "#!/bin/sh\necho node-0:8\necho node-1:8\n");
  EXPECT_EQ(*orders[0].files.at(2).content, "node-0:8\nnode-1:8\n");
  EXPECT_EQ(*orders[0].files.at(3).content, "#!/bin/sh\nexec /opt/muster agent \"$@\"\n");
  EXPECT_EQ(orders[0].files.at(3).mode, 0755);
  EXPECT_EQ(Env(orders[0].ranks.at(0).env, "OMPI_MCA_plm_rsh_agent"), "/opt/muster agent")
      << "for one that was built with MPI";
  EXPECT_EQ(Env(orders[0].env, "HOROVOD_START_TIMEOUT"), "300");
}

TEST(Horovod, HostsNamedByTheUserAreKept) {
  const auto orders =
      PlanSketch(PlainSpec("horovod", 2, "gpu", 8, "horovodrun -np 4 -hostfile h python3 t.py"))
          .value();
  EXPECT_THAT(orders[0].ranks.at(0).argv, testing::Not(Contains("--hostfile")));
}

TEST(Deepspeed, LauncherRunsOnEveryNodeWithoutSsh) {
  const auto orders = PlanSketch(PlainSpec("deepspeed", 2, "gpu", 8, "deepspeed t.py")).value();
  EXPECT_THAT(
      orders[1].ranks.at(0).argv,
      ElementsAre("deepspeed", "--hostfile=" + orders[1].dir + "/hostfile", "--no_ssh",
                  "--node_rank=1", "--master_addr=127.77.0.1", "--master_port=29500", "t.py"));
  const auto ranks = PlanSketch(PlainSpec("deepspeed", 2, "gpu", 8, "t.py")).value();
  EXPECT_EQ(Seen(ranks[1], 1, "RANK"), "9");
  EXPECT_EQ(Seen(ranks[1], 1, "CROSS_RANK"), "1");
}

TEST(Jax, OneProcessUsesAllDevicesAndSeveralOneEach) {
  const auto several = PlanSketch(PlainSpec("jax", 2, "gpu", 8, "t.py")).value();
  EXPECT_EQ(Seen(several[1], 2, "JAX_LOCAL_DEVICE_IDS"), "2");
  EXPECT_EQ(Seen(several[1], 2, "JAX_PROCESS_ID"), "10");
  EXPECT_EQ(Seen(several[1], 2, "JAX_COORDINATOR_ADDRESS"), "127.77.0.1:29500");
  JobSpec spec = PlainSpec("jax", 2, "gpu", 8, "t.py");
  spec.roles[0].ranks = 1;
  EXPECT_EQ(Seen(PlanSketch(spec).value()[1], 0, "JAX_LOCAL_DEVICE_IDS"), "(unset)");
}

TEST(Ray, CommandIsTheDriverOfAClusterOfServices) {
  const auto orders = PlanSketch(PlainSpec("ray", 2, "gpu", 8, "t.py")).value();
  ASSERT_EQ(orders[0].ranks.size(), 2u);
  ASSERT_EQ(orders[1].ranks.size(), 1u);
  EXPECT_FALSE(orders[0].ranks[0].service);
  EXPECT_TRUE(orders[0].ranks[1].service);
  EXPECT_TRUE(orders[1].ranks[0].service);
  EXPECT_THAT(orders[0].ranks[1].argv, Contains("--head"));
  EXPECT_THAT(orders[1].ranks[0].argv, Contains("--address=127.77.0.1:29500"));
  EXPECT_EQ(orders[0].ranks[1].rank, 1);
  EXPECT_EQ(orders[1].ranks[0].rank, 2);
}

TEST(Devices, DevicesOfEveryVendorAreVisible) {
  const std::pair<const char*, const char*> kinds[] = {{"gpu", "CUDA_VISIBLE_DEVICES"},
                                                       {"npu", "ASCEND_RT_VISIBLE_DEVICES"},
                                                       {"xpu", "XPU_VISIBLE_DEVICES"},
                                                       {"dcu", "HIP_VISIBLE_DEVICES"},
                                                       {"mlu", "MLU_VISIBLE_DEVICES"}};
  for (const auto& [kind, variable] : kinds) {
    const auto orders = PlanSketch(PlainSpec("custom", 1, kind, 2, "t.py")).value();
    EXPECT_EQ(Env(orders[0].env, variable), "0,1") << kind;
  }
}

TEST(Devices, DevicesOfAnUnknownKindAreNamed) {
  const auto orders = PlanSketch(PlainSpec("custom", 1, "abacus", 2, "t.py")).value();
  EXPECT_EQ(Env(orders[0].env, "MUSTER_DEVICES"), "0,1");
}

}  // namespace
}  // namespace muster::dialect
