#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/job.h"

namespace muster::verdict {

// The class of a failure, derived from exit reports and log lines. Append new classes at the end
// of their group together with their name in verdict.cc and their advice in advice.cc.
enum class CauseClass {
  kNone,     // the attempt succeeded
  kUnknown,  // the attempt failed and its output matches no rule
  kMissingModule,
  kMissingFile,
  kArguments,  // the script rejected its command line
  kSyntax,
  kAssertion,
  kPythonError,   // an exception of no other class
  kDeviceMemory,  // out of memory on the accelerator
  kHostMemory,
  kSharedMemory,  // /dev/shm is too small for the data loader
  kNoDevice,      // no accelerator is present or visible
  kDeviceBuild,   // the framework build has no code for this accelerator
  kDeviceAssert,  // an assertion in a kernel on the accelerator
  kDeviceFault,   // the accelerator or its driver reported an error
  kDiskFull,
  kPermission,
  kAddressInUse,
  kNoNetwork,          // a download from the internet failed
  kConnectionLost,     // a consequence: another rank ended first, or the network failed
  kCollectiveTimeout,  // a consequence: another rank did not join a collective operation
  kLeftEarly,          // a rank ended with code 0 while the others still trained
  kThreadLeft,         // Python ended while a library thread was running
  kCrash,              // SIGSEGV, SIGABRT and similar
  kKilled,             // killed by a process outside the job
  kCouldNotStart,
  kTimedOut,
  kLost,
  kStopped,
  kPreempted,
  kNotPublished,    // the ranks succeeded, the copy of the outputs failed
  kNotFetched,      // code, an input or an output destination is not available
  kSeparateWorlds,  // the job succeeded, but its ranks trained separately
};

const char* Name(CauseClass cause);  // "missing_module", as in JSON

// The explanation of a failed attempt.
struct Verdict {
  std::string headline;  // "rank 3 (worker) on node-1 failed first: ValueError: … (exited with …)"
  CauseClass cause = CauseClass::kNone;
  int rank = -1;                      // the failing rank; -1 if the cause is not a rank
  std::vector<std::string> evidence;  // log lines of the failing rank, safe to print
  bool retry_makes_sense = false;     // whether the unchanged job may succeed on a retry
  std::string advice;                 // one sentence; empty if no action is needed
};

// The last lines of one rank's log. They may contain any bytes.
struct RankLines {
  int rank = 0;
  std::vector<std::string> lines;
};

// Pure. `last_lines` are the last log lines of the rank (or hook) that ended first. `others` are
// the last lines of other ranks; the caller reads them only if NeedsOtherLogs (blame.h) is true.
Verdict Judge(const Job& job, const Attempt& attempt, const std::vector<std::string>& last_lines,
              std::span<const RankLines> others = {});

// Why the ranks did not form one world; empty when nothing shows that.
std::string WhyApart(const Attempt& attempt);

json::object ToJsonObject(const Verdict& verdict);

}  // namespace muster::verdict
