#include "verdict/advice.h"

#include <fmt/format.h>

#include "base/text.h"

namespace muster::verdict {

namespace {

std::string MemoryAdvice(const JobSpec& spec) {
  if (!spec.memory)
    return "Use a smaller batch or fewer ranks a node, or a machine with more memory.";
  return fmt::format(
      "Use a smaller batch or fewer data loader processes, or raise `memory` (now {} a node).",
      HumanSize(*spec.memory));
}

std::string TimeAdvice(const JobSpec& spec) {
  const std::string now =
      spec.time_limit_ms ? fmt::format(" (now {})", HumanDuration(*spec.time_limit_ms)) : "";
  return fmt::format(
      "Raise the time limit{}, or save a checkpoint on {} and go on from it in the next run.", now,
      spec.warning_signal.empty() ? "a warning signal" : "SIG" + spec.warning_signal);
}

}  // namespace

std::string AdviceFor(CauseClass cause, const JobSpec& spec) {
  switch (cause) {
    case CauseClass::kNone:
    case CauseClass::kStopped:
      return {};
    case CauseClass::kUnknown:
      return "Read the last lines of that rank's log.";
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
      return "Let the script accept these arguments: every parameter, input and output of the job "
             "becomes --name=value.";
    case CauseClass::kSyntax:
      return "Correct the line shown, and check that this interpreter is of the right version.";
    case CauseClass::kAssertion:
      return "Look at the condition that did not hold.";
    case CauseClass::kPythonError:
      return "Look at the exception and the line of the script above it.";
    case CauseClass::kDeviceMemory:
      return "Use a smaller batch for each device, or spread the job over more devices.";
    case CauseClass::kHostMemory:
      return MemoryAdvice(spec);
    case CauseClass::kNoDevice:
      return "Ask for the devices with `-g KIND:COUNT`, and let each rank take the one of its "
             "local "
             "rank.";
    case CauseClass::kDiskFull:
      return "Free space on the disk that it wrote to, or write elsewhere.";
    case CauseClass::kPermission:
      return "Check owner and mode of the path in the message.";
    case CauseClass::kAddressInUse:
      return "Use the port that the job was given (MASTER_PORT or MUSTER_MASTER_PORT) instead of a "
             "fixed one, and run it again.";
    case CauseClass::kConnectionLost:
      return "Another rank or the network went away first: look at the logs of the other ranks, or "
             "run it again.";
    case CauseClass::kThreadLeft:
      return "Python ended while a thread of a library still worked, which aborts by chance: end "
             "the script with torch.distributed.barrier(), del of the parallel model and "
             "destroy_process_group(), or join its own threads. What it wrote before that is kept.";
    case CauseClass::kCrash:
      return "The program itself broke: check that its libraries fit each other, or run it under a "
             "debugger.";
    case CauseClass::kKilled:
      return "Something outside of the job sent the signal: ask who works on that machine, and "
             "look "
             "at its kernel log for a lack of memory.";
    case CauseClass::kCouldNotStart:
      return "Check that the program, its interpreter and its folder exist and may be executed on "
             "that node.";
    case CauseClass::kTimedOut:
      return TimeAdvice(spec);
    case CauseClass::kLost:
      return "The node or its launcher went away: check that machine, and run the job again.";
    case CauseClass::kPreempted:
      return "It goes on when there is room again; save checkpoints so that little is lost.";
    case CauseClass::kNotPublished:
      return "The results are on the node's disk: copy them from there as the message says, or put "
             "right what it names and run the job again.";
    case CauseClass::kNotFetched:
      return "Put right the address, the keys or the store that the message names (`muster objects "
             "ls` shows what is there, from here), and run the job again.";
  }
  return {};
}

bool RetryMakesSense(CauseClass cause) {
  switch (cause) {
    case CauseClass::kAddressInUse:
    case CauseClass::kConnectionLost:
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
