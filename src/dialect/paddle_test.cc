#include <gmock/gmock.h>

#include "dialect/cases_for_test.h"
#include "dialect/paddle_launch.h"

namespace muster::dialect {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

JobSpec Spec(std::string version, std::string run = "train.py") {
  JobSpec spec = PlainSpec("paddle", 2, "gpu", 2, std::move(run));
  spec.launch.version = std::move(version);
  return spec;
}

std::string Seen(const NodeOrder& order, size_t rank, std::string_view name) {
  const std::string own = Env(order.ranks[rank].env, name);
  return own == "(unset)" ? Env(order.env, name) : own;
}

// The words behind the shell that follows the output of the trainers.
std::vector<std::string> Launched(const NodeOrder& order) {
  const std::vector<std::string>& argv = order.ranks.at(0).argv;
  const bool wrapped = argv.size() > 6 && argv[0] == "/bin/sh" && argv[3] == "sh";
  return {argv.begin() + (wrapped ? 6 : 0), argv.end()};
}

// The variables that the launcher of 1.8.5 sets for the second process of the second node, for
// --node_ip 127.0.0.3 --started_port=6170 --selected_gpus=0,1.
TEST(PaddleCollective, VariablesEqualThoseOfThe18Launcher) {
  const JobSpec spec = Spec("1.8.5");
  Allocation allocation = SketchAllocation(spec);
  for (NodeShare& share : allocation.nodes) {
    share.address = "127.0.0." + std::to_string(2 + share.index);
    share.ports = {6170, 6171, 6172};
  }
  const auto orders = Plan(spec, allocation, SomePlaces()).value();
  EXPECT_EQ(Seen(orders[1], 1, "FLAGS_selected_gpus"), "1");
  EXPECT_EQ(Seen(orders[1], 1, "PADDLE_CURRENT_ENDPOINT"), "127.0.0.3:6171");
  EXPECT_EQ(Seen(orders[1], 1, "PADDLE_TRAINERS_NUM"), "4");
  EXPECT_EQ(Seen(orders[1], 1, "PADDLE_TRAINER_ID"), "3");
  EXPECT_EQ(Seen(orders[1], 1, "PADDLE_TRAINER_ENDPOINTS"),
            "127.0.0.2:6170,127.0.0.2:6171,127.0.0.3:6170,127.0.0.3:6171");
  EXPECT_EQ(Seen(orders[1], 1, "PADDLE_MASTER"), "(unset)");
}

TEST(PaddleCollective, NamesFollowTheVersion) {
  const auto old = PlanSketch(Spec("2.0")).value();
  EXPECT_EQ(Seen(old[1], 1, "PADDLE_RANK_IN_NODE"), "(unset)");
  const auto middle = PlanSketch(Spec("2.2")).value();
  EXPECT_EQ(Seen(middle[1], 1, "PADDLE_RANK_IN_NODE"), "1");
  EXPECT_EQ(Seen(middle[1], 1, "FLAGS_selected_accelerators"), "1");
  EXPECT_EQ(Seen(middle[1], 1, "PADDLE_MASTER"), "(unset)");
  const auto now = PlanSketch(Spec("")).value();
  EXPECT_EQ(Seen(now[1], 1, "PADDLE_GLOBAL_RANK"), "3");
  EXPECT_EQ(Seen(now[1], 1, "PADDLE_MASTER"), "127.77.0.1:29502");
  EXPECT_EQ(Seen(now[1], 1, "FLAGS_selected_accelerators"), "(unset)");
}

TEST(PaddleCollective, BackendFollowsTheDevice) {
  const auto cpu = PlanSketch(PlainSpec("paddle", 1, "cpu", 2, "t.py")).value();
  EXPECT_EQ(Seen(cpu[0], 0, "PADDLE_DISTRI_BACKEND"), "gloo");
  const auto npu = PlanSketch(PlainSpec("paddle", 1, "npu", 2, "t.py")).value();
  EXPECT_EQ(Seen(npu[0], 0, "PADDLE_DISTRI_BACKEND"), "xccl");
  EXPECT_EQ(Seen(npu[0], 1, "FLAGS_selected_npus"), "1");
  EXPECT_EQ(Seen(npu[0], 1, "NPU_VISIBLE_DEVICES"), "0,1");
  const auto gpu = PlanSketch(Spec("")).value();
  EXPECT_EQ(Seen(gpu[0], 0, "PADDLE_DISTRI_BACKEND"), "(unset)");
}

TEST(PaddleCollective, ListAboveTheVariableLimitIsOmitted) {
  const auto orders = PlanSketch(PlainSpec("paddle", 400, "gpu", 8, "t.py")).value();
  EXPECT_EQ(Seen(orders[0], 0, "PADDLE_TRAINER_ENDPOINTS"), "(unset)");
  EXPECT_EQ(Seen(orders[0], 0, "PADDLE_MASTER"), "127.77.0.1:29508");
}

TEST(PaddleLaunch, OldFlagsAreTranslatedForCurrentPaddleWithOneNote) {
  const auto orders =
      PlanSketch(Spec("",
                      "python3 -m paddle.distributed.launch --cluster_node_ips=a,b --node_ip a "
                      "--started_port=6170 --selected_gpus=0,1 train.py --selected_gpus=7"))
          .value();
  EXPECT_THAT(Launched(orders[1]), ElementsAre("python3", "-m", "paddle.distributed.launch",
                                               "train.py", "--selected_gpus=7"));
  EXPECT_THAT(orders[0].notes,
              ElementsAre("this Paddle's launcher would drop --cluster_node_ips --node_ip "
                          "--started_port --selected_gpus and train every node alone; nodes and "
                          "devices are given to it in its own way instead"));
  EXPECT_THAT(orders[1].notes, IsEmpty());
  EXPECT_EQ(Seen(orders[1], 0, "PADDLE_NNODES"), "2");
  EXPECT_EQ(Seen(orders[1], 0, "PADDLE_RANK"), "1");
  EXPECT_EQ(Seen(orders[1], 0, "PADDLE_DEVICES"), "0,1");
}

TEST(PaddleLaunch, OldFlagsAreKeptForTheirVersion) {
  const auto orders =
      PlanSketch(Spec("1.8", "python3 -m paddle.distributed.launch --selected_gpus=0 train.py"))
          .value();
  EXPECT_THAT(orders[1].ranks.at(0).argv, Contains("--selected_gpus=0"));
  EXPECT_THAT(orders[1].ranks.at(0).argv, Contains("--cluster_node_ips=127.77.0.1,127.77.0.2"));
  EXPECT_THAT(orders[1].ranks.at(0).argv, Contains("--node_ip=127.77.0.2"));
  EXPECT_THAT(orders[0].notes, IsEmpty());
}

TEST(PaddleLaunch, NodesOfAnOldLauncherHaveTheSameFirstPortWithEnoughPortsBehindIt) {
  for (const char* version : {"1.8.5", "2.0"}) {
    JobSpec spec = PlainSpec("paddle", 3, "gpu", 32, "train.py");
    spec.launch = {.start = "launch", .version = version};
    EXPECT_EQ(CommonPorts(spec), 32);
    Allocation allocation = SketchAllocation(spec);
    for (NodeShare& share : allocation.nodes)
      for (int& port : share.ports) port += 100 * share.index;
    const auto orders = Plan(spec, allocation, SomePlaces());
    ASSERT_TRUE(orders) << orders.error().text;
    const std::string port = std::to_string(allocation.common_ports.front());
    for (const NodeOrder& order : *orders) {
      EXPECT_EQ(Seen(order, 0, "PADDLE_PORT"), port);
      EXPECT_EQ(Seen(order, 0, "FLAGS_START_PORT"), port);
      if (version[0] == '1') EXPECT_THAT(order.ranks[0].argv, Contains("--started_port=" + port));
    }
  }
}

TEST(PaddleLaunch, OutputOfEveryTrainerIsInTheLog) {
  JobSpec spec = Spec("3.3", "train.py");
  spec.launch.start = "launch";
  const auto current = PlanSketch(spec).value();
  EXPECT_THAT(current[1].ranks[0].argv[2], HasSubstr("workerlog.$trainer"));
  EXPECT_THAT(current[1].ranks[0].argv[4], testing::EndsWith("/node1/paddle"));
  EXPECT_EQ(current[1].ranks[0].argv[5], "2");
  spec.launch.version = "1.8.5";  // without a folder, trainers write into the launcher's output
  EXPECT_THAT(PlanSketch(spec).value()[1].ranks[0].argv,
              testing::Not(Contains(testing::StartsWith("--log_dir"))));
}

TEST(PaddleLaunch, AddressesOfOtherMachinesAreReplacedForVersion18) {
  JobSpec spec = PlainSpec("paddle", 2, "gpu", 4,
                           "python3 -m paddle.distributed.launch "
                           "--cluster_node_ips=192.168.1.2,192.168.1.3 --node_ip 192.168.1.3 "
                           "--started_port=6170 --selected_gpus=0,1,2,3 t.py --node_ip=mine");
  spec.launch.version = "1.8.5";
  const auto orders = PlanSketch(spec);
  ASSERT_TRUE(orders) << orders.error().text;
  for (int node = 0; node < 2; ++node) {
    const auto& argv = (*orders)[size_t(node)].ranks[0].argv;
    const std::string own = node == 0 ? "127.77.0.1" : "127.77.0.2";
    EXPECT_THAT(argv, Contains("--cluster_node_ips=127.77.0.1,127.77.0.2"));
    EXPECT_THAT(argv, Contains("--node_ip=" + own));
    EXPECT_THAT(argv, Contains("--started_port=6170"));
    EXPECT_EQ(argv.back(), "--node_ip=mine") << "the script's own words stay";
    EXPECT_THAT(argv, testing::Not(Contains(HasSubstr("192.168"))));
  }
  ASSERT_EQ((*orders)[0].notes.size(), 1u);
  EXPECT_THAT((*orders)[0].notes[0], HasSubstr("--node_ip=192.168.1.3"));
  EXPECT_TRUE((*orders)[1].notes.empty());
}

TEST(PaddleLaunch, ShellTextGetsVariablesOnly) {
  const auto orders =
      PlanSketch(Spec("", "cd x && python3 -m paddle.distributed.launch t.py")).value();
  ASSERT_EQ(orders[1].ranks.size(), 1u);
  EXPECT_EQ(Seen(orders[1], 0, "PADDLE_TRAINERS"), "127.77.0.1,127.77.0.2");
  EXPECT_EQ(Seen(orders[1], 0, "PADDLE_TRAINER_ID"), "1");
  EXPECT_EQ(Seen(orders[1], 0, "PADDLE_MASTER"), "127.77.0.1:29502");
}

TEST(PaddleLaunch, ScriptGetsVariablesOnly) {
  JobSpec spec = Spec("", "run.sh");
  spec.launch.start = "launch";
  const auto orders = PlanSketch(spec).value();
  ASSERT_EQ(orders[1].ranks.size(), 1u);
  EXPECT_THAT(Launched(orders[1]), ElementsAre("/bin/bash", "run.sh"));
  EXPECT_EQ(Seen(orders[1], 0, "PADDLE_NPROC_PER_NODE"), "2");
  EXPECT_EQ(Seen(orders[1], 0, "PADDLE_RANK"), "1");
}

TEST(PaddleLaunch, AnyPythonInterpreterIsWrapped) {
  for (const char* run : {"train.py", "python train.py", "/opt/py/bin/python3.9 train.py"}) {
    JobSpec spec = Spec("", run);
    spec.launch.start = "launch";
    EXPECT_THAT(Launched(PlanSketch(spec).value()[0]),
                ElementsAre("python3", "-m", "paddle.distributed.launch", "train.py"))
        << run;
  }
}

TEST(PaddleServers, ListsOfAllProcessesAgree) {
  JobSpec spec = PlainSpec("paddle", 1, "cpu", 2, "train.py");
  Role server = spec.roles[0];
  server.name = "ps";
  server.service = true;
  spec.roles.insert(spec.roles.begin(), server);
  const auto orders = PlanSketch(spec).value();
  EXPECT_EQ(Seen(orders[0], 1, "TRAINING_ROLE"), "PSERVER");
  EXPECT_EQ(Seen(orders[0], 1, "POD_IP") + ":" + Seen(orders[0], 1, "PADDLE_PORT"),
            "127.77.0.1:29501");
  EXPECT_EQ(Seen(orders[1], 1, "PADDLE_PSERVERS_IP_PORT_LIST"),
            "127.77.0.1:29500,127.77.0.1:29501");
  EXPECT_EQ(Seen(orders[1], 1, "PADDLE_TRAINER_ID"), "1");
  EXPECT_TRUE(orders[0].ranks[0].service);
  spec.roles.pop_back();
  EXPECT_EQ(PlanSketch(spec).error().text, "a Paddle job with parameter servers has no trainers");
}

TEST(TranslateOldFlags, NewFlagsAreKept) {
  std::vector<std::string> flags{"--master=a:1", "--devices", "0,1", "--selected_gpus", "2"};
  EXPECT_THAT(TranslateOldFlags(flags), HasSubstr("--selected_gpus"));
  EXPECT_THAT(flags, ElementsAre("--master=a:1", "--devices", "0,1"));
  EXPECT_EQ(TranslateOldFlags(flags), "");
}

}  // namespace
}  // namespace muster::dialect
