#include "dialect/launcher_flags.h"

#include <gmock/gmock.h>

#include "dialect/cases_for_test.h"

namespace muster::dialect {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string FaultOf(std::string framework, int nodes, std::string kind, int count,
                    std::string run) {
  const auto faults = FindFlagFaults(
      PlainSpec(std::move(framework), nodes, std::move(kind), count, std::move(run)));
  std::string text;
  for (const FlagFault& fault : faults)
    text += (text.empty() ? "" : "; ") + fault.found + " / " + fault.expected;
  return text;
}

TEST(LauncherFlags, StandaloneOnSeveralNodesIsAFault) {
  for (const char* run :
       {"torchrun --standalone --nproc_per_node=2 t.py",
        "python -m torch.distributed.run --standalone t.py", "cd x && torchrun --standalone t.py",
        "/opt/bin/torchrun --nproc-per-node 2 --standalone t.py"}) {
    EXPECT_THAT(FaultOf("pytorch", 2, "cpu", 2, run), HasSubstr("--standalone of torch")) << run;
    EXPECT_EQ(FaultOf("pytorch", 1, "cpu", 2, run), "") << run;
  }
}

TEST(LauncherFlags, CountsThatContradictTheShapeAreFaults) {
  const std::vector<std::array<std::string, 3>> cases{
      {"pytorch", "torchrun --nnodes=1 t.py", "--nnodes=1 of torchrun / 2, the nodes of the job"},
      {"pytorch", "torchrun --nnodes 3:4 t.py",
       "--nnodes=3:4 of torchrun / 2, the nodes of the job"},
      {"pytorch", "torchrun --node_rank=0 t.py",
       "--node_rank=0 of torchrun / a different number on each of the 2 nodes"},
      {"pytorch", "torchrun --nproc_per_node=16 t.py",
       "--nproc_per_node=16 of torchrun / at most 8, the ranks on each node"},
      {"pytorch", "accelerate launch --num_machines 1 --num_processes 32 t.py",
       "--num_machines=1 of accelerate / 2, the nodes of the job; --num_processes=32 of accelerate "
       "/ "
       "at most 16, the ranks of the job"},
      {"mindspore", "msrun --worker_num=8 --local_worker_num=4 t.py",
       "--worker_num=8 of msrun / 16, the ranks of the job; --local_worker_num=4 of msrun / 8, the "
       "ranks on each node"},
      {"paddle", "python -m paddle.distributed.launch --nnodes=1 t.py",
       "--nnodes=1 of paddle.distributed.launch / 2, the nodes of the job"},
      {"deepspeed", "deepspeed --num_nodes 4 --num_gpus=9 t.py",
       "--num_nodes=4 of deepspeed / 2, the nodes of the job; --num_gpus=9 of deepspeed / at most "
       "8, the ranks on each node"},
      {"horovod", "horovodrun -np 17 python t.py",
       "-np=17 of horovodrun / at most 16, the ranks of the job"},
      {"mpi", "mpirun --oversubscribe -mca btl tcp,self -np 32 ./a.out",
       "-np=32 of mpirun / at most 16, the ranks of the job"},
      {"mindspore", "mpirun -n 32 python t.py",
       "-n=32 of mpirun / at most 16, the ranks of the job"}};
  for (const auto& [framework, run, fault] : cases)
    EXPECT_EQ(FaultOf(framework, 2, "npu", 8, run), fault) << run;
}

TEST(LauncherFlags, FlagsThatAgreeOrAreUnknownAreNoFaults) {
  const std::vector<std::array<std::string, 2>> good{
      {"pytorch", "torchrun --nnodes=2 --nproc_per_node=8 t.py --nnodes=7"},
      {"pytorch", "torchrun --nnodes=1:4 --nproc_per_node=auto t.py"},
      {"pytorch", "torchrun --nnodes=$N --node_rank=$R t.py"},
      {"pytorch", "torchrun t.py --standalone"},
      {"pytorch", "python t.py --nnodes=9"},
      {"custom", "torchrun --standalone t.py"},
      {"mindspore", "msrun --worker_num=16 --local_worker_num=8 --join=True t.py"},
      {"horovod", "horovodrun -np 32 -H a:16,b:16 python t.py"},
      {"mpi", "mpirun -np 8 a : -np 64 b"},
      {"horovod",
       "horovodrun -np 16 -hostfile f -p 22 --network-interface ib0 python t.py -np 99"}};
  for (const auto& [framework, run] : good)
    EXPECT_EQ(FaultOf(framework, 2, "gpu", 8, run), "") << run;
  JobSpec spec = PlainSpec("pytorch", 2, "gpu", 8, "torchrun --standalone t.py");
  spec.platform = "modelarts";
  EXPECT_THAT(FindFlagFaults(spec), IsEmpty());
}

TEST(LauncherFlags, FewerRanksThanDevicesAreNoted) {
  EXPECT_THAT(
      FlagNotes(PlainSpec("pytorch", 2, "gpu", 8, "torchrun --nproc_per_node=4 t.py")),
      ElementsAre(HasSubstr("--nproc_per_node=4 of torchrun starts fewer ranks than the job "
                            "has devices for: 8 on each node")));
  EXPECT_THAT(FlagNotes(PlainSpec("mpi", 2, "gpu", 8, "mpirun -np 4 a.out")),
              ElementsAre(HasSubstr("devices for: 16")));
  EXPECT_THAT(FlagNotes(PlainSpec("pytorch", 2, "gpu", 8, "torchrun --nproc_per_node=8 t.py")),
              IsEmpty());
}

TEST(LauncherFlags, LauncherThatStartsOncePerRankIsNoted) {
  EXPECT_THAT(FlagNotes(PlainSpec("custom", 2, "gpu", 8, "torchrun t.py")),
              ElementsAre(HasSubstr("8 of them start on each node")));
  EXPECT_THAT(FlagNotes(PlainSpec("custom", 2, "gpu", 8, "python t.py")), IsEmpty());
}

}  // namespace
}  // namespace muster::dialect
