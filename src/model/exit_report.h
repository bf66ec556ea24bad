#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"

namespace muster {

// How a process or a whole attempt ended. The classes stay distinct from the kernel to the user
// interface.
enum class ExitClass {
  kSucceeded,      // exit code 0
  kExitCode,       // another exit code
  kSignal,         // killed by a signal that Muster did not send
  kOutOfMemory,    // killed by the kernel for lack of memory
  kCouldNotStart,  // never executed: program or folder missing, not permitted, setup failed
  kTimedOut,       // stopped because of the time limit
  kLost,           // its launcher died; the end of the process is unknown
  kStopped,        // stopped by Muster; `stopped_by` has the reason
  kNotPublished,   // the ranks succeeded, but outputs could not be published
  kNotFetched,     // not started because code, an input or a destination is not available
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
  int code = 0;    // for kExitCode; also if a stopped rank exited with a code
  int signal = 0;  // for kSignal and kOutOfMemory; also if a stopped rank died by a signal
  bool core_dumped = false;
  StoppedBy stopped_by = StoppedBy::kNobody;
  // For kStopped: the signal that had killed a child process that the rank had not reaped.
  int killed_below = 0;
  std::string detail;    // for kCouldNotStart, kNotFetched, kLost: the cause as text
  int64_t cpu_ms = 0;    // user and system time of the process and its reaped children
  int64_t peak_rss = 0;  // bytes; 0 if unknown

  bool operator==(const ExitReport&) const = default;
};

const char* Name(ExitClass how);                     // "exit_code", as in JSON
const char* Name(StoppedBy by);                      // "rank_failure", as in JSON
StoppedBy StoppedByFromName(std::string_view name);  // kNobody for unknown names
const char* SignalName(int signal);                  // "SIGKILL"; "SIG?" for unknown signals

// Whether launchers send the signal to other ranks, or a process that lost its peer may die by it.
// Such a signal is rarely the cause of a failure.
bool MayBeFallout(int signal);

// "exited with code 3", "was killed by SIGSEGV (core dumped)", "ran out of memory (SIGKILL)", …
std::string Describe(const ExitReport& report);

// The exit code of `muster run`: the code itself, 128 + signal, 124 timed out, 125 lost, 123 not
// published, 126/127 could not start, 130 stopped by the user, 143 otherwise stopped.
int ShellExitCode(const ExitReport& report);

// The only function that reads a wait status. `core` as in WCOREDUMP.
ExitReport FromWaitStatus(int wait_status);

json::object ToJsonObject(const ExitReport& report);
ExitReport ExitReportFromJson(const json::object& object);

}  // namespace muster
