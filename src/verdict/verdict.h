#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/job.h"

namespace muster::verdict {

// What kind of thing went wrong, as far as exit and output tell.
enum class CauseClass {
  kNone,           // nothing did
  kUnknown,        // it failed, and said nothing that we know
  kMissingModule,  // Python cannot import something
  kMissingFile,
  kArguments,  // the script refused its command line
  kSyntax,
  kAssertion,
  kPythonError,   // any other exception
  kDeviceMemory,  // on the accelerator
  kHostMemory,
  kNoDevice,  // the accelerator is not there, or not for this process
  kDiskFull,
  kPermission,
  kAddressInUse,
  kConnectionLost,  // fallout: another rank went first, or the network did
  kThreadLeft,      // Python ended before a library's thread did
  kCrash,           // the program broke (SIGSEGV and the like)
  kKilled,          // somebody else killed it
  kCouldNotStart,
  kTimedOut,
  kLost,
  kStopped,
  kPreempted,
  kNotPublished,  // it went well, but its outputs are not where they should be
  kNotFetched,    // code, an input or a destination was not to be had
};

const char* Name(CauseClass cause);  // "missing_module", as in JSON

struct Verdict {
  std::string headline;  // "rank 3 (worker) on node-1 failed first: exited with code 7"
  CauseClass cause = CauseClass::kNone;
  int rank = -1;                      // to blame; -1 when it is none
  std::vector<std::string> evidence;  // lines of the failing rank that show it, safe to print
  bool retry_makes_sense = false;     // the same job may well succeed next time
  std::string advice;                 // one plain sentence; empty when there is nothing to do
};

// The last lines of one rank's log; any bytes.
struct RankLines {
  int rank = 0;
  std::vector<std::string> lines;
};

// Pure. `last_lines` are the last of the log of the rank (or hook) that ended first; any bytes. Of
// `others` one may turn out to be the cause: worth giving when TellsLittle (blame.h) says so.
Verdict Judge(const Job& job, const Attempt& attempt, const std::vector<std::string>& last_lines,
              std::span<const RankLines> others = {});

json::object ToJsonObject(const Verdict& verdict);

}  // namespace muster::verdict
