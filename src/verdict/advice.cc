#include "verdict/advice.h"

#include <fmt/format.h>

#include "base/text.h"

namespace muster::verdict {

namespace {

std::string MemoryAdvice(const JobSpec& spec) {
  if (!spec.memory)
    return "Use a smaller batch or fewer ranks per node, or a machine with more memory.";
  return fmt::format(
      "Use a smaller batch or fewer data loader processes, or raise `memory` (now {} per node).",
      HumanSize(*spec.memory));
}

std::string TimeAdvice(const JobSpec& spec) {
  const std::string now =
      spec.time_limit_ms ? fmt::format(" (now {})", HumanDuration(*spec.time_limit_ms)) : "";
  return fmt::format(
      "Raise the time limit{}, or save a checkpoint on {} and resume from it in the next run.", now,
      spec.warning_signal.empty() ? "a warning signal" : "SIG" + spec.warning_signal);
}

std::string ArgumentAdvice(std::string_view line) {
  if (line.contains("--local-rank") || line.contains("--local_rank"))
    return "torch.distributed.launch passes --local-rank to the script: start the script with "
           "torchrun and read LOCAL_RANK from the environment, or let the script accept the "
           "argument.";
  if (line.contains("ambiguous option"))
    return "The option is an abbreviation of several options: write its whole name.";
  return "Let the script accept these arguments: every parameter, input and output of the job is "
         "passed as --name=value.";
}

std::string DeviceFaultAdvice(std::string_view line) {
  constexpr std::string_view kPlogs =
      " Keep the plog files of all ranks ($ASCEND_PROCESS_LOG_PATH, else ~/ascend/log): they name "
      "the failed operator.";
  if (line.contains("EJ0001"))
    return "HCCP could not initialise: usually another process, for example of an earlier "
           "training, still uses the NPU (see npu-smi info)." +
           std::string(kPlogs);
  return "The NPU or its driver reported an error: run again with ASCEND_LAUNCH_BLOCKING=1 to find "
         "the operator, and check the device with npu-smi info." +
         std::string(kPlogs);
}

std::string CollectiveAdvice(std::string_view line) {
  std::string text =
      "One rank did not join a collective operation in time: compare the last lines of all ranks "
      "for a rank that is stuck, slower, or runs other operations than the rest.";
  if (line.contains("EI0002") || line.contains("EE1002"))
    return text + " Keep the plog files of all ranks; HCCL_EXEC_TIMEOUT sets the limit.";
  return text +
         " TORCH_DISTRIBUTED_DEBUG=DETAIL names the operation; the limit is the `timeout` of "
         "init_process_group.";
}

}  // namespace

std::string AdviceFor(CauseClass cause, std::string_view line, const JobSpec& spec) {
  switch (cause) {
    case CauseClass::kNone:
    case CauseClass::kStopped:
      return {};
    case CauseClass::kUnknown:
      return "Read the last lines of the log of this rank.";
    case CauseClass::kMissingModule:
      return fmt::format(
          "Install the module for the interpreter that runs the job ({}), or name another one with "
          "`python:`.",
          spec.python);
    case CauseClass::kMissingFile:
      return "Check the path: ranks run in the job's copy of its code folder (`code:`), so name "
             "data "
             "with `inputs:` or by its absolute path.";
    case CauseClass::kArguments:
      return ArgumentAdvice(line);
    case CauseClass::kSyntax:
      return "Correct the line shown, and check that the interpreter has the version that the "
             "script needs.";
    case CauseClass::kAssertion:
      return "Check the condition in the assertion.";
    case CauseClass::kPythonError:
      return "Check the exception and the script line above it.";
    case CauseClass::kDeviceMemory:
      return "Use a smaller batch for each device, or spread the job over more devices.";
    case CauseClass::kHostMemory:
      return MemoryAdvice(spec);
    case CauseClass::kSharedMemory:
      return "/dev/shm is too small for the data loader: use fewer worker processes "
             "(num_workers), smaller batches, or torch.multiprocessing.set_sharing_strategy("
             "'file_system').";
    case CauseClass::kDeviceBuild:
      return "The installed framework has no code for this GPU: install a build for its compute "
             "capability (torch.cuda.get_arch_list() shows what the build has).";
    case CauseClass::kDeviceAssert:
      return "An index or a label is out of range on the GPU, for example a label that is not "
             "below the number of classes: run again with CUDA_LAUNCH_BLOCKING=1 to find the "
             "line.";
    case CauseClass::kDeviceFault:
      return DeviceFaultAdvice(line);
    case CauseClass::kNoNetwork:
      return "The script downloads from the network, which this node cannot reach: fetch the files "
             "beforehand, pass them as an input of the job, and set HF_HUB_OFFLINE=1 for the "
             "Hugging Face libraries.";
    case CauseClass::kCollectiveTimeout:
      return CollectiveAdvice(line);
    case CauseClass::kLeftEarly:
      return "All ranks must run the same number of steps: divide the data evenly "
             "(DistributedSampler, drop_last=True), and end the script with a barrier so that no "
             "rank exits before the others.";
    case CauseClass::kNoDevice:
      return "Request devices with `-g KIND:COUNT`, and let each rank use the device of its local "
             "rank.";
    case CauseClass::kDiskFull:
      return "Free space on the disk, or write to another one.";
    case CauseClass::kPermission:
      return "Check owner and mode of the path in the message.";
    case CauseClass::kAddressInUse:
      return "Use the port that the job was given (MASTER_PORT or MUSTER_MASTER_PORT) instead of a "
             "fixed one, and run it again.";
    case CauseClass::kConnectionLost:
      return "Another rank ended first, or the network failed: read the logs of the other ranks, "
             "or "
             "run the job again.";
    case CauseClass::kThreadLeft:
      return "Python ended while a library thread was running, which sometimes aborts: end the "
             "script with torch.distributed.barrier(), delete the parallel model, and call "
             "destroy_process_group(). All output written before that is kept.";
    case CauseClass::kCrash:
      return "The program crashed: check that its libraries have matching versions, or run it in a "
             "debugger.";
    case CauseClass::kKilled:
      return "A process outside the job sent the signal: check the kernel log of the node for a "
             "lack of memory, and ask other users of the node.";
    case CauseClass::kCouldNotStart:
      return "Check that the program, its interpreter and its folder exist and are executable on "
             "the node.";
    case CauseClass::kTimedOut:
      return TimeAdvice(spec);
    case CauseClass::kLost:
      return "The node or its launcher failed: check the machine, and run the job again.";
    case CauseClass::kPreempted:
      return "The job continues when devices are free again; save checkpoints to lose little work.";
    case CauseClass::kNotPublished:
      return "The results are on the disk of the node: copy them as the message says, or correct "
             "the destination and run the job again.";
    case CauseClass::kNotFetched:
      return "Correct the address, the keys or the store that the message names (`muster objects "
             "ls` lists what exists), and run the job again.";
    case CauseClass::kSeparateWorlds:
      return "";  // the evidence says it
  }
  return {};
}

bool RetryMakesSense(CauseClass cause) {
  switch (cause) {
    case CauseClass::kAddressInUse:
    case CauseClass::kConnectionLost:
    case CauseClass::kCollectiveTimeout:
    case CauseClass::kNoNetwork:
    case CauseClass::kThreadLeft:
    case CauseClass::kKilled:
    case CauseClass::kLost:
    case CauseClass::kPreempted:
      return true;
    default:
      return false;
  }
}

}  // namespace muster::verdict
