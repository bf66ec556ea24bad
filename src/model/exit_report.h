#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"

namespace muster {

// How one process (or a whole attempt) ended. The ways are kept apart from the kernel to the page.
enum class ExitClass {
  kSucceeded,      // exit code 0
  kExitCode,       // exited by itself with another code
  kSignal,         // killed by a signal that we did not send
  kOutOfMemory,    // killed by the kernel for memory
  kCouldNotStart,  // never executed: program or folder missing, not permitted, setup failed
  kTimedOut,       // stopped because the time limit passed
  kLost,           // its launcher died; how it ended is unknown
  kStopped,        // stopped by us; `stopped_by` says for whom
  kNotPublished,   // an attempt that went well, but its outputs could not be taken to their place
  kNotFetched,     // an attempt that never began: code, an input or a destination is not to be had
};

enum class StoppedBy {
  kNobody,
  kUser,         // muster stop, Ctrl-C, DELETE
  kRankFailure,  // another rank of the attempt failed first
  kTimeLimit,
  kPreemption,  // a job of higher priority needs the devices
  kRoleEnd,     // a service role, after the last working rank ended
};

struct ExitReport {
  ExitClass how = ExitClass::kLost;
  int code = 0;    // with kExitCode; also when a stopped rank chose its own code
  int signal = 0;  // with kSignal and kOutOfMemory; also when a stopped rank died of one
  bool core_dumped = false;
  StoppedBy stopped_by = StoppedBy::kNobody;
  // With kStopped: this signal had killed a process below it, which it had not waited for yet.
  int killed_below = 0;
  std::string detail;    // kCouldNotStart, kNotFetched, kLost: the cause in words
  int64_t cpu_ms = 0;    // user + system, of the process and its waited-for children
  int64_t peak_rss = 0;  // bytes, 0 when unknown

  bool operator==(const ExitReport&) const = default;
};

const char* Name(ExitClass how);                     // "exit_code", as in JSON
const char* Name(StoppedBy by);                      // "rank_failure", as in JSON
StoppedBy StoppedByFromName(std::string_view name);  // kNobody for a name that is none
const char* SignalName(int signal);  // "SIGKILL"; "signal 99" has no name and gives "SIG?"

// One that a launcher sends to the other ranks, or that a process without its peer may end by: such
// a death is seldom a cause.
bool MayBeFallout(int signal);

// "exited with code 3", "was killed by SIGSEGV (core dumped)", "ran out of memory (SIGKILL)", …
std::string Describe(const ExitReport& report);

// What `muster run` exits with for it: the code itself, 128 + signal, 124 timed out, 125 lost,
// 123 not published, 126/127 could not start, 130 stopped by the user, 143 otherwise stopped.
int ShellExitCode(const ExitReport& report);

// Only this function reads a wait status. `core` as in WCOREDUMP.
ExitReport FromWaitStatus(int wait_status);

json::object ToJsonObject(const ExitReport& report);
ExitReport ExitReportFromJson(const json::object& object);

}  // namespace muster
