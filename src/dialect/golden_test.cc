// Whole orders compared with golden/*.json. After an intended change run this test with
// MUSTER_UPDATE_GOLDEN=1 and review the difference.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "dialect/cases_for_test.h"

namespace muster::dialect {
namespace {

struct Case {
  std::string name;
  JobSpec spec;
  bool real = false;  // on separate machines instead of virtual nodes
};

Result<std::vector<NodeOrder>> PlanCase(const Case& one) {
  Allocation allocation = SketchAllocation(one.spec);
  for (NodeShare& share : allocation.nodes) {
    if (!one.real) break;
    share.is_virtual = false;
    share.address = "10.0.0." + std::to_string(share.index + 1);
    for (const int device : share.devices) {
      share.device_addresses[device] = fmt::format("10.1.{}.{}", share.index, device + 1);
    }
  }
  return Plan(one.spec, allocation, SomePlaces());
}

Role RoleOf(std::string name, int nodes, std::string kind, int count, std::string run) {
  Role role = PlainSpec("custom", nodes, std::move(kind), count, std::move(run)).roles[0];
  role.name = std::move(name);
  return role;
}

// Two workers and a parameter server that ends with them.
JobSpec WithService(std::string framework) {
  JobSpec spec = PlainSpec(std::move(framework), 1, "cpu", 1, "server.py");
  spec.roles = {RoleOf("ps", 1, "cpu", 1, "server.py"), RoleOf("worker", 2, "cpu", 2, "train.py")};
  spec.roles[0].service = true;
  spec.roles[1].env = {{"MODE", "fast"}};
  spec.roles[1].parameters = {{"epochs", "3"}};
  return spec;
}

// Roles with different sizes and device kinds.
JobSpec Uneven(std::string framework) {
  JobSpec spec = PlainSpec(std::move(framework), 1, "gpu", 4, "train.py");
  spec.roles = {RoleOf("chief", 1, "gpu", 4, "train.py --chief"),
                RoleOf("worker", 1, "gpu", 3, "train.py")};
  spec.inputs = {{"data_url", "/data/set"}};
  spec.outputs = {{"train_url", ""}};
  return spec;
}

JobSpec Started(JobSpec spec, std::string start, std::string version = "") {
  spec.launch.start = std::move(start);
  spec.launch.version = std::move(version);
  return spec;
}

void AddMindspore(std::vector<Case>& cases) {
  const JobSpec plain = PlainSpec("mindspore", 2, "npu", 8, "train.py");
  cases.push_back({"mindspore_real", plain, true});
  cases.push_back({"mindspore_real_table", Started(plain, "rank_table"), true});
  cases.push_back({"mindspore_rank_table", Started(plain, "rank_table")});
  cases.push_back({"mindspore_0.3", Started(plain, "auto", "0.3")});
  JobSpec cloud = Started(plain, "rank_table");
  cloud.launch.rank_table = "cloud";
  cases.push_back({"mindspore_cloud", cloud});
  cases.push_back({"mindspore_mpirun", Started(plain, "mpirun")});
  JobSpec msrun = PlainSpec("mindspore", 2, "npu", 8, "msrun --join=False train.py --epochs 3");
  msrun.launch.timeout_ms = 300'000;
  cases.push_back({"mindspore_msrun", msrun});
  JobSpec timed = plain;
  timed.launch.timeout_ms = 600'000;
  timed.launch.interface = "eth1";
  cases.push_back({"mindspore_timeout", timed});
}

void AddPaddle(std::vector<Case>& cases) {
  const JobSpec plain = PlainSpec("paddle", 2, "gpu", 8, "train.py");
  cases.push_back({"paddle_1.8", Started(plain, "env", "1.8.5")});
  cases.push_back({"paddle_2.2", Started(plain, "env", "2.2")});
  JobSpec timed = PlainSpec("paddle", 1, "xpu", 2, "train.py");
  timed.launch.timeout_ms = 600'000;
  cases.push_back({"paddle_timeout", timed});
  const JobSpec old = PlainSpec("paddle", 2, "gpu", 8,
                                "python3 -m paddle.distributed.launch --cluster_node_ips=10.0.0.1 "
                                "--node_ip 10.0.0.1 --started_port=6170 --selected_gpus=0,1 t.py");
  cases.push_back({"paddle_old_flags", old});
  cases.push_back({"paddle_launch", Started(plain, "launch")});
  cases.push_back({"paddle_launch_1.8", Started(plain, "launch", "1.8")});
  cases.push_back({"paddle_launch_2.0", Started(plain, "launch", "2.0")});
  JobSpec heter = WithService("paddle");
  heter.roles.push_back(RoleOf("heter", 1, "gpu", 1, "heter.py"));
  cases.push_back({"paddle_heter", heter});
}

void AddOthers(std::vector<Case>& cases) {
  JobSpec tasks = PlainSpec("tensorflow", 1, "cpu", 1, "train.py");
  tasks.roles = {RoleOf("chief", 1, "gpu", 4, "train.py"),
                 RoleOf("worker", 2, "gpu", 4, "train.py"), RoleOf("ps", 1, "cpu", 2, "train.py"),
                 RoleOf("evaluator", 1, "cpu", 1, "eval.py")};
  tasks.roles[2].service = true;
  cases.push_back({"tensorflow_tasks", tasks});
  JobSpec table = PlainSpec("tensorflow", 2, "npu", 8, "train.py");
  table.launch.rank_table = "1.0";
  cases.push_back({"tensorflow_table", table});
  table.launch.rank_table = "cloud";
  cases.push_back({"tensorflow_cloud", table});
  cases.push_back(
      {"horovod_horovodrun", PlainSpec("horovod", 2, "gpu", 8, "horovodrun python3 t.py")});
  cases.push_back({"horovod_mpirun", Started(PlainSpec("horovod", 2, "gpu", 8, "t.py"), "mpirun")});
  cases.push_back({"deepspeed_launcher", PlainSpec("deepspeed", 2, "gpu", 8, "deepspeed t.py")});
}

JobSpec On(std::string platform, JobSpec spec) {
  spec.platform = std::move(platform);
  spec.code = "/src/resnet";
  spec.inputs = {{"data_url", "/data/set"}};
  spec.outputs = {{"train_url", ""}};
  spec.roles[0].parameters = {{"epochs", "3"}};
  return spec;
}

void AddPlatforms(std::vector<Case>& cases) {
  for (const std::string platform : {"modelarts", "modelarts-v1", "apulis"}) {
    const auto add = [&](const std::string& name, JobSpec spec, bool real = false) {
      cases.push_back({platform + "_" + name, On(platform, std::move(spec)), real});
    };
    add("1x1", PlainSpec("custom", 1, "cpu", 1, "train.py"));
    add("1x8", PlainSpec("custom", 1, "gpu", 8, "train.py"));
    add("2x8", PlainSpec("custom", 2, "npu", 8, "train.py"));
    add("real", PlainSpec("custom", 2, "npu", 8, "bash run.sh"), true);
    add("command", PlainSpec("custom", 2, "gpu", 8, "bash run.sh && sleep infinity"));
    add("uneven", Uneven("custom"));
    add("roles", WithService("custom"));
  }
  cases.push_back(
      {"modelarts_mindspore", On("modelarts", PlainSpec("mindspore", 2, "npu", 8, "t.py"))});
  cases.push_back(
      {"modelarts_pytorch", On("modelarts", PlainSpec("pytorch", 2, "gpu", 8, "t.py"))});
  JobSpec method = PlainSpec("pytorch", 2, "npu", 8, "t.py");
  method.roles[0].env = {{"MA_RUN_METHOD", "torchrun"}};
  cases.push_back({"modelarts_torchrun", On("modelarts", method)});
  for (const std::string platform : {"modelarts", "modelarts-v1"}) {
    cases.push_back({platform + "_tensorflow", On(platform, WithService("tensorflow"))});
  }
  cases.push_back(
      {"modelarts-v1_paddle", On("modelarts-v1", PlainSpec("paddle", 2, "gpu", 8, "bash run.sh"))});
  cases.push_back({"apulis_horovod",
                   On("apulis", PlainSpec("horovod", 2, "gpu", 8,
                                          "horovodrun -np 16 python t.py && sleep infinity"))});
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const FrameworkInfo& info : Frameworks()) {
    const std::string framework = info.name;
    cases.push_back({framework + "_1x1", PlainSpec(framework, 1, "cpu", 1, "train.py")});
    cases.push_back({framework + "_1x8", PlainSpec(framework, 1, "gpu", 8, "train.py")});
    cases.push_back({framework + "_2x8", PlainSpec(framework, 2, "npu", 8, "train.py")});
    cases.push_back({framework + "_uneven", Uneven(framework)});
    cases.push_back({framework + "_roles", WithService(framework)});
  }
  for (const std::string kind : {"xpu", "dcu", "mlu", "gcu", "musa", "hpu"}) {
    cases.push_back({"custom_" + kind, PlainSpec("custom", 1, kind, 2, "train.py")});
  }
  JobSpec shared = PlainSpec("custom", 1, "npu", 2, "train.py");
  shared.roles[0].ranks = 4;
  cases.push_back({"custom_shared", shared});
  JobSpec shell = PlainSpec("custom", 1, "cpu", 1, "train.py");
  shell.shell_env = {{"PATH", "/home/me/venv/bin:/bin"}, {"VIRTUAL_ENV", "/home/me/venv"}};
  shell.submit_dir = "/home/me/project";
  cases.push_back({"custom_shell", shell});
  cases.push_back({"pytorch_torchrun", PlainSpec("pytorch", 2, "gpu", 8, "torchrun train.py")});
  cases.push_back(
      {"pytorch_wrapped", Started(PlainSpec("pytorch", 2, "gpu", 8, "train.py"), "torchrun")});
  cases.push_back({"mpi_mpich", Started(Uneven("mpi"), "mpich")});
  AddMindspore(cases);
  AddPaddle(cases);
  AddOthers(cases);
  AddPlatforms(cases);
  return cases;
}

std::filesystem::path GoldenFile(const std::string& name) {
  return std::filesystem::path(MUSTER_GOLDEN) / (name + ".json");
}

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Golden, OrdersMatchTheGoldenFiles) {
  const bool update = std::getenv("MUSTER_UPDATE_GOLDEN") != nullptr;
  for (const Case& one : Cases()) {
    const auto orders = PlanCase(one);
    ASSERT_TRUE(orders.has_value()) << one.name << ": " << orders.error().text;
    json::array array;
    for (const NodeOrder& order : *orders) array.push_back(ToJsonObject(order));
    const std::string text = ToPrettyJson(array);
    if (update) {
      std::filesystem::create_directories(GoldenFile(one.name).parent_path());
      std::ofstream(GoldenFile(one.name), std::ios::binary) << text;
    }
    EXPECT_EQ(text, Read(GoldenFile(one.name)))
        << one.name << " changed; if it should, run with MUSTER_UPDATE_GOLDEN=1";
  }
}

TEST(Golden, OrdersRoundTrip) {
  for (const Case& one : Cases()) {
    const auto orders = PlanCase(one);
    for (const NodeOrder& order : *orders) {
      const auto read = NodeOrderFromJson(ToJsonObject(order));
      ASSERT_TRUE(read.has_value()) << one.name << ": " << read.error().text;
      EXPECT_EQ(ToJson(ToJsonObject(*read)), ToJson(ToJsonObject(order))) << one.name;
    }
  }
}

}  // namespace
}  // namespace muster::dialect
