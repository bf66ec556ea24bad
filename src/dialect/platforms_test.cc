// Plans for platforms; whole orders are compared in golden/.
#include <gmock/gmock.h>

#include "dialect/apulis.h"
#include "dialect/boot_file.h"
#include "dialect/cases_for_test.h"
#include "dialect/modelarts.h"
#include "dialect/platform.h"

namespace muster::dialect {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::vector<NodeOrder> PlanOn(std::string platform, JobSpec spec) {
  spec.platform = std::move(platform);
  auto orders = PlanSketch(spec);
  EXPECT_TRUE(orders.has_value()) << orders.error().text;
  return orders ? *orders : std::vector<NodeOrder>(1);
}

JobSpec WithCode(JobSpec spec) {
  spec.code = "/src/resnet";
  spec.inputs = {{"data_url", "/data/cifar"}};
  spec.outputs = {{"train_url", ""}};
  spec.roles[0].parameters = {{"epochs", "3"}};
  return spec;
}

std::string Source(const NodeOrder& order, std::string_view path) {
  for (const ViewMount& mount : order.view->mounts) {
    if (mount.path == path) return mount.source;
  }
  return "(none)";
}

TEST(BootFile, IsThePythonFileOfACommandThatRunsNothingElse) {
  EXPECT_EQ(BootFile({.text = "train.py --fast", .words = {}}), "train.py");
  EXPECT_EQ(BootFile({.text = "python3 -u -X dev a/train.py x", .words = {}}), "a/train.py");
  EXPECT_EQ(BootFile({.text = {}, .words = {"/usr/bin/python3.11", "t.py"}}), "t.py");
  EXPECT_EQ(BootFile({.text = {}, .words = {"train.py", "-a", "x"}}), "train.py");
  for (const char* text : {"python -m pkg", "python -c pass", "bash run.sh", "a.py && b.py", "",
                           "python", "python - x.py", "'open", "cat train.py"}) {
    EXPECT_FALSE(BootFile({.text = text, .words = {}})) << text;
  }
}

TEST(KeepAlive, IsRemovedAtTheEndOfACommandOnly) {
  const auto taken = [](std::string text) {
    Command run{.text = std::move(text), .words = {}};
    return TakeKeepAlive(run) ? run.text : "(kept)";
  };
  EXPECT_EQ(taken("cd ~ && ./train.sh && sleep infinity"), "cd ~ && ./train.sh");
  EXPECT_EQ(taken("./train.sh;sleep infinity "), "./train.sh");
  EXPECT_EQ(taken("sudo -E bash -c ' cd /x && ./run.sh &&sleep infinity'"),
            "sudo -E bash -c ' cd /x && ./run.sh'");
  EXPECT_EQ(taken("sleep infinity"), "(kept)");
  EXPECT_EQ(taken("echo sleep infinity"), "(kept)");
  EXPECT_EQ(taken("a || sleep infinity"), "(kept)");
  EXPECT_EQ(taken("sh -c '&& sleep infinity'"), "(kept)");
  EXPECT_EQ(taken("(a && sleep infinity)"), "(a)");
  EXPECT_EQ(taken("( a; sleep infinity; )"), "( a)");
  EXPECT_EQ(taken("{ a && sleep infinity; }"), "{ a; }");
  EXPECT_EQ(taken("a && (sleep infinity)"), "a");
  EXPECT_EQ(taken("a && sleep infinity; "), "a");
  EXPECT_EQ(taken("a && sleep infinity # keep the container"), "a");
  EXPECT_EQ(taken("echo '#' && sleep infinity"), "echo '#'");
  EXPECT_EQ(taken("a\nsleep infinity\n"), "a");
  EXPECT_EQ(taken("a && tail -f /dev/null"), "a");
  EXPECT_EQ(taken("bash -lc \"a && (b; sleep infinity)\""), "bash -lc \"a && (b)\"");
  EXPECT_EQ(taken("echo 'a && sleep infinity'"), "(kept)");
  EXPECT_EQ(taken("(sleep infinity)"), "(kept)");
  EXPECT_EQ(taken("a & (sleep infinity)"), "(kept)");
  EXPECT_EQ(taken(""), "(kept)");
  EXPECT_EQ(taken("'"), "(kept)");
  Command words{.text = {}, .words = {"bash", "-c", "a && sleep infinity"}};
  EXPECT_TRUE(TakeKeepAlive(words));
  EXPECT_THAT(words.words, ElementsAre("bash", "-c", "a"));
}

TEST(Modelarts, BootFileIsStartedOnEveryCardWithLocalFolders) {
  const auto orders = PlanOn("modelarts", WithCode(PlainSpec("custom", 2, "npu", 8, "train.py")));
  ASSERT_THAT(orders[1].ranks, SizeIs(8));
  const RankOrder& rank = orders[1].ranks[3];
  EXPECT_THAT(rank.argv,
              ElementsAre("python3", "/home/ma-user/modelarts/user-job-dir/resnet/train.py",
                          "--data_url=/home/ma-user/modelarts/inputs/data_url_0",
                          "--train_url=/home/ma-user/modelarts/outputs/train_url_0", "--epochs=3"));
  EXPECT_EQ(rank.cwd, "/home/ma-user/modelarts/workspace/device3");
  EXPECT_EQ(Env(rank.env, "RANK_ID"), "11");
  EXPECT_EQ(Env(rank.env, "RANK_SIZE"), "16");
  EXPECT_EQ(Env(rank.env, "DEVICE_ID"), "3");
  EXPECT_EQ(Env(orders[1].env, "VC_TASK_INDEX"), "1");
  EXPECT_EQ(Source(orders[1], "/home/ma-user/modelarts/inputs/data_url_0"), "/data/cifar");
  EXPECT_EQ(Source(orders[1], "/home/ma-user/modelarts/outputs/train_url_0"),
            "/data/jobs/7/outputs/train_url");
  EXPECT_EQ(orders[1].boot_file, "/home/ma-user/modelarts/user-job-dir/resnet/train.py");
}

TEST(Modelarts, NodeNamesResolveAndAreInTheVariables) {
  const auto orders = PlanOn("modelarts", PlainSpec("custom", 2, "npu", 1, "train.py"));
  const std::string hosts = Env(orders[0].env, "VC_WORKER_HOSTS");
  const std::string name = hosts.substr(hosts.find(',') + 1);
  EXPECT_EQ(name,
            "modelarts-job-00000000-0000-4000-8000-000000000007-worker-1."
            "modelarts-job-00000000-0000-4000-8000-000000000007");
  EXPECT_THAT(*orders[0].aliases, Contains(std::pair(1, name)));
}

TEST(Modelarts, CommandIsStartedOncePerNodeWithPlatformVariablesOnly) {
  const auto orders = PlanOn("modelarts", PlainSpec("mindspore", 2, "npu", 8, "bash run_8p.sh"));
  ASSERT_THAT(orders[0].ranks, SizeIs(1));
  EXPECT_EQ(Env(orders[0].env, "RANK_TABLE_FILE"), "/user/config");
  EXPECT_EQ(Env(orders[0].env, "MS_SCHED_HOST"), "(unset)");
  EXPECT_EQ(Env(orders[0].ranks[0].env, "RANK_ID"), "(unset)");
  EXPECT_EQ(Env(orders[0].env, "MA_NUM_GPUS"), "8");
}

TEST(Modelarts, CommandsWithALauncherAreLeftToTheFramework) {
  const auto orders = PlanOn("modelarts", PlainSpec("pytorch", 2, "gpu", 8, "torchrun train.py"));
  ASSERT_THAT(orders[0].ranks, SizeIs(1));
  EXPECT_EQ(Env(orders[0].env, "PET_NPROC_PER_NODE") == "8" ||
                Env(orders[0].ranks[0].env, "PET_NPROC_PER_NODE") == "8",
            true);
}

TEST(Modelarts, PytorchOnSeveralNodesGetsTheRendezvousAddress) {
  const auto orders = PlanOn("modelarts", PlainSpec("pytorch", 2, "gpu", 8, "train.py"));
  ASSERT_THAT(orders[1].ranks, SizeIs(1));
  const auto& argv = orders[1].ranks[0].argv;
  EXPECT_THAT(argv, Contains(testing::StartsWith("--init_method=tcp://modelarts-job-")));
  EXPECT_THAT(argv, Contains("--rank=1"));
  EXPECT_THAT(argv, Contains("--world_size=2"));
}

TEST(Modelarts, UserSelectsTheLauncherOfABootFile) {
  JobSpec spec = PlainSpec("custom", 2, "npu", 8, "train.py");
  spec.roles[0].env = {{"MA_RUN_METHOD", "torchrun"}};
  const auto torch = PlanOn("modelarts", spec);
  ASSERT_THAT(torch[0].ranks, SizeIs(1));
  EXPECT_EQ(torch[0].ranks[0].argv[0], "torchrun");
  EXPECT_EQ(Env(torch[0].env, "PET_NPROC_PER_NODE"), "8");
  EXPECT_EQ(Env(torch[0].ranks[0].env, "RANK_ID"), "(unset)");
  spec.roles[0].env = {{"MA_RUN_METHOD", "msrun"}};
  EXPECT_THAT(PlanOn("modelarts", spec)[0].ranks[0].argv[0], EndsWith("msrun"));
  spec.roles[0].env = {{"MA_RUN_METHOD", "rm -rf"}};
  EXPECT_THAT(PlanOn("modelarts", spec)[0].ranks, SizeIs(8));
}

TEST(Modelarts, MindsporeOnCardsReadsTheTableOfTheMount) {
  const auto orders = PlanOn("modelarts", PlainSpec("mindspore", 2, "npu", 8, "train.py"));
  const std::string table = "/home/ma-user/modelarts/rank_table/jobstart_hccl.json";
  EXPECT_EQ(Env(orders[0].env, "RANK_TABLE_FILE"), table);
  std::vector<std::string> paths;
  for (const OrderFile& file : orders[0].files) paths.push_back(file.path);
  EXPECT_THAT(paths, Contains(table));
  EXPECT_THAT(paths, Contains("/user/config/jobstart_hccl.json"));
}

TEST(Modelarts, UnnamedCodeFolderGetsTheNameOfTheJob) {
  JobSpec spec = PlainSpec("custom", 1, "cpu", 1, "train.py");
  for (const char* code : {".", "/", "..", "//"}) {
    spec.code = code;
    EXPECT_EQ(LayoutOf(spec).code_name, "demo") << code;
  }
  spec.code = "/a/b c/";
  EXPECT_EQ(LayoutOf(spec).code_name, "b c");
  spec.code.clear();
  EXPECT_EQ(LayoutOf(spec).code, LayoutOf(spec).job_dir);
}

TEST(Modelarts, SlashesInNamesDoNotLeaveTheFolder) {
  JobSpec spec = PlainSpec("custom", 1, "cpu", 1, "train.py");
  spec.inputs = {{"../../etc", "/x"}};
  EXPECT_EQ(MaInput(LayoutOf(spec), spec, 0), "/home/ma-user/modelarts/inputs/.._.._etc_0");
}

TEST(ModelartsV1, BootFileGetsUrlsAndACommandVariables) {
  const JobSpec spec = WithCode(PlainSpec("custom", 2, "gpu", 8, "train.py"));
  const auto boot = PlanOn("modelarts-v1", spec);
  EXPECT_THAT(
      boot[0].ranks[0].argv,
      ElementsAre("python3", "/home/work/user-job-dir/resnet/train.py", "--data_url=/data/cifar",
                  "--train_url=/data/jobs/7/outputs/train_url", "--epochs=3"));
  JobSpec command = spec;
  command.roles[0].run.text = "bash /home/work/run_train.sh python /home/work/user-job-dir/a.py";
  const auto orders = PlanOn("modelarts-v1", command);
  ASSERT_THAT(orders[1].ranks, SizeIs(1));
  EXPECT_THAT(orders[1].ranks[0].argv, ElementsAre("bash", "/home/work/run_train.sh", "python",
                                                   "/home/work/user-job-dir/a.py"));
  EXPECT_EQ(Env(orders[1].env, "epochs"), "3");
  EXPECT_EQ(Env(orders[1].env, "DLS_DATA_URL"), "/data/cifar");
  EXPECT_EQ(Env(orders[1].env, "DLS_TRAIN_URL"), "/data/jobs/7/outputs/train_url");
  EXPECT_EQ(Env(orders[1].env, "DLS_TASK_INDEX"), "1");
  EXPECT_EQ(Env(orders[1].env, "BATCH_CUSTOM0_HOSTS"),
            "127.77.0.1:" + Env(orders[0].env, "BATCH_CURRENT_PORT"));
  EXPECT_EQ(Env(orders[1].env, "MA_VJ_NAME"), "(unset)");
}

TEST(ModelartsV1, BatchPortIsTheSameOnEveryNodeWithAPortForEachCardBehindIt) {
  JobSpec spec = PlainSpec("custom", 2, "gpu", 8, "bash run.sh");
  EXPECT_EQ(CommonPorts(spec), 0);
  spec.platform = "modelarts-v1";
  EXPECT_EQ(CommonPorts(spec), 8);
  Allocation allocation = SketchAllocation(spec);
  for (NodeShare& share : allocation.nodes)
    for (int& port : share.ports) port += 100 * share.index;
  const std::string port = std::to_string(allocation.common_ports.front());
  const auto orders = Plan(spec, allocation, SomePlaces());
  for (const NodeOrder& order : *orders) {
    EXPECT_EQ(Env(order.env, "BATCH_CURRENT_PORT"), port);
    EXPECT_EQ(Env(order.env, "BATCH_CUSTOM0_HOSTS"), "127.77.0.1:" + port);
    EXPECT_EQ(Env(order.env, "BATCH_CUSTOM1_HOSTS"), "127.77.0.2:" + port);
  }
  allocation.common_ports.resize(7);
  EXPECT_THAT(Plan(spec, allocation, SomePlaces()).error().text, HasSubstr("7 ports"));
}

TEST(ModelartsV1, AllocationOfAnOlderServerKeepsItsPort) {
  JobSpec spec = PlainSpec("custom", 2, "gpu", 8, "bash run.sh");
  spec.platform = "modelarts-v1";
  Allocation allocation = SketchAllocation(spec);
  allocation.common_ports.clear();
  allocation.nodes[0].ports.push_back(31000);
  const auto orders = Plan(spec, allocation, SomePlaces());
  ASSERT_TRUE(orders) << orders.error().text;
  EXPECT_EQ(Env((*orders)[1].env, "BATCH_CUSTOM1_HOSTS"), "127.77.0.2:31000");
}

TEST(ModelartsV1, PaddleCommandGetsBareHostsAndTheVariablesOfPaddlesLauncher) {
  const auto orders = PlanOn("modelarts-v1", PlainSpec("paddle", 2, "gpu", 8, "bash run.sh"));
  for (const NodeOrder& order : orders) {
    ASSERT_THAT(order.ranks, SizeIs(1));
    EXPECT_THAT(order.ranks[0].argv, Contains("run.sh"));
    EXPECT_EQ(Env(order.env, "BATCH_CUSTOM0_HOSTS"), "127.77.0.1");
    EXPECT_EQ(Env(order.env, "BATCH_CUSTOM1_HOSTS"), "127.77.0.2");
    EXPECT_EQ(Env(order.env, "BATCH_CURRENT_PORT"), Env(order.env, "PADDLE_PORT"));
    EXPECT_EQ(Env(order.env, "PADDLE_NNODES"), "2");
    EXPECT_EQ(Env(order.env, "PADDLE_RANK"), std::to_string(order.node));
    EXPECT_EQ(Env(order.env, "PADDLE_NPROC_PER_NODE"), "8");
  }
}

TEST(Apulis, RunsOnTheFirstNodeWhichReachesTheOthers) {
  const auto orders =
      PlanOn("apulis", PlainSpec("custom", 2, "gpu", 8, "cd ~ && ./go.sh && sleep infinity"));
  ASSERT_THAT(orders[0].ranks, SizeIs(1));
  EXPECT_THAT(orders[0].ranks[0].argv, Contains(EndsWith("\ncd ~ && ./go.sh")));
  EXPECT_THAT(orders[1].ranks, IsEmpty());
  EXPECT_TRUE(orders[1].agent);
  EXPECT_EQ(Env(orders[0].ranks[0].env, "DLWS_ROLE_NAME"), "ps");
  EXPECT_EQ(Env(orders[1].env, "DLWS_ROLE_NAME"), "worker");
  EXPECT_THAT(orders[0].notes, ElementsAre(HasSubstr("sleep infinity")));
}

TEST(Apulis, RunsOnEveryNodeWithNpus) {
  const auto orders = PlanOn("apulis", PlainSpec("mindspore", 2, "npu", 8, "./run_8p.sh"));
  EXPECT_THAT(orders[0].ranks, SizeIs(1));
  EXPECT_THAT(orders[1].ranks, SizeIs(1));
  EXPECT_EQ(Env(orders[1].env, "VISIBLE_IDS"), "0,1,2,3,4,5,6,7");
}

TEST(Apulis, HostFilesEqualThoseOfThePlatform) {
  const auto orders = PlanOn("apulis", PlainSpec("custom", 2, "gpu", 8, "./go.sh"));
  const auto text = [&](const std::string& path) -> std::string {
    for (const OrderFile& file : orders[0].files) {
      if (file.path == path) return *file.content;
    }
    return "(none)";
  };
  EXPECT_EQ(text("/home/apulis/ib_config"), "ib-worker-0 slots=8\nib-worker-1 slots=8\n");
  EXPECT_EQ(text("/job/ib_config"), "ib-worker-0 slots=8\nib-worker-1 slots=8\n");
  EXPECT_EQ(text("/job/hostfile"), "worker-0 slots=8\nworker-1 slots=8\n");
  EXPECT_THAT(text("/pod/pod.env"), HasSubstr("export DLWS_NUM_WORKER=2\n"));
  EXPECT_THAT(text("/pod/pod.env"), Not(HasSubstr("export HOME=")));
}

TEST(Apulis, UserNameComesFromTheJob) {
  JobSpec spec = PlainSpec("custom", 1, "gpu", 8, "./go.sh");
  spec.roles[0].env = {{"DLWS_USER_NAME", "li"}};
  const auto orders = PlanOn("apulis", spec);
  EXPECT_EQ(Env(orders[0].env, "HOME"), "/home/li");
  EXPECT_EQ(Source(orders[0], "/home/li"), "/data/jobs/7/outputs/home");
}

TEST(Platforms, EnvironmentsAreBoundedForManyNodes) {
  JobSpec spec = PlainSpec("custom", 1000, "gpu", 1, "train.py");
  for (const std::string_view platform : kPlatforms) {
    const auto orders = PlanOn(std::string(platform), spec);
    ASSERT_THAT(orders, SizeIs(1000));
    EXPECT_LT(orders[7].env.size(), 100u) << platform;
    EXPECT_THAT(orders[7].notes, Contains(HasSubstr("are left out"))) << platform;
  }
}

TEST(Platforms, PathsHiddenByTheirFoldersAreKept) {
  JobSpec spec = WithCode(PlainSpec("custom", 1, "cpu", 1, "train.py"));
  spec.python = "/tmp/venv/bin/python";
  for (const std::string_view platform : kPlatforms) {
    const auto orders = PlanOn(std::string(platform), spec);
    for (const char* path :
         {"/data/jobs/7", "/data/code/abc", "/opt/muster", "/data/cifar", "/tmp/venv"}) {
      EXPECT_THAT(orders[0].view->keep, Contains(path)) << platform;
    }
  }
}

}  // namespace
}  // namespace muster::dialect
