#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verdict/verdict.h"

namespace muster::verdict {

// A process that a framework's launcher (torchrun, mpirun, …) started and that was killed by a
// signal. The exit code of that launcher does not contain the signal; its log lines do.
struct KilledChild {
  int rank = 0;      // the rank that runs the launcher
  int signal = 0;    // never a signal that launchers send to their processes
  std::string who;   // "rank 3", in the numbering of the launcher
  std::string line;  // the log line, safe to print; empty if there is none
};

// The first log line about a killed process, in `last_lines` of rank `first`, else in `others`.
std::optional<KilledChild> FindKilledChild(int first, const std::vector<std::string>& last_lines,
                                           std::span<const RankLines> others);

// A killed process that Muster's launcher observed below a rank whose own launcher was stopped
// before it could report it.
std::optional<KilledChild> FindUnreportedKill(const Attempt& attempt);

}  // namespace muster::verdict
