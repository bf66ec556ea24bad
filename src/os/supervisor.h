#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/sweep.h"

namespace muster::os {

// Every launcher has a supervisor: its parent process, which inherits what the launcher leaves
// behind (PR_SET_CHILD_SUBREAPER), kills it, and then waits for a server. The supervisor reports
// through its own command line, which outlives the server and needs no file that a job can change:
//
//   muster supervise job17-a1-n0-01234567 proven 2 1 40 sleep,sh
//
// that is the node's group name (NodeGroupName), the state, processes found and killed,
// milliseconds, and their names.
enum class Supervision {
  kSweeping,  // the launcher died, and its descendants are being killed
  kProven,    // the launcher died, and no descendant is left
  kEnded,     // the launcher ended by itself, with nothing left, while no server listened
};
struct SupervisorReport {
  pid_t pid = 0;
  uint64_t start_ticks = 0;
  Supervision state = Supervision::kSweeping;
  SweepResult sweep;
};

std::vector<std::string> SupervisorWords(const std::string& group, Supervision state,
                                         const SweepResult& sweep);
// From the words of a command line; nothing when these are not a supervisor's report about `group`.
std::optional<SupervisorReport> ParseSupervisorWords(const std::vector<std::string>& words,
                                                     std::string_view group);

// The supervisor that reports about the order of this group. Nothing when its launcher lives or
// told its server that it has ended, and when the supervisor was killed too.
std::optional<SupervisorReport> FindSupervisor(std::string_view group);
// Ends a supervisor whose report was taken.
void ReleaseSupervisor(const SupervisorReport& report);

// The launcher that carries out the order in this folder, found by its command line (`muster launch
// --order DIR`); nothing when there is none.
std::optional<ProcessInfo> FindLauncher(std::string_view node_dir);

// Names the life of this machine, or of the container, that runs processes now: another value means
// that every process of the time before has ended. Empty where the kernel does not tell.
std::string BootIdentity();

}  // namespace muster::os
