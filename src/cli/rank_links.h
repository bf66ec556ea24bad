#pragma once

#include <string>
#include <utility>
#include <vector>

namespace muster::cli {

// The current state of a job's ranks on this machine.
struct RanksNow {
  int running = 0;                         // ranks with a living process
  std::vector<std::pair<int, int>> links;  // pairs of ranks with a connection
};

// Examines the processes with the job's folder in their environment. Ranks are identified by the
// variables of their framework, so ranks started by a launcher inside the job count as well.
RanksNow LookAtRanks(const std::string& job_folder);

}  // namespace muster::cli
