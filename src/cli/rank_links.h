#pragma once

#include <string>
#include <utility>
#include <vector>

namespace muster::cli {

// What the ranks of a job on this machine do at this moment.
struct RanksNow {
  int running = 0;                         // different ranks with a living process
  std::vector<std::pair<int, int>> links;  // pairs of ranks that a connection joins
};

// Looks at the processes that carry the job's folder in their environment. A rank is told by the
// variables of its framework, so ranks that a launcher started inside the job count too.
RanksNow LookAtRanks(const std::string& job_folder);

}  // namespace muster::cli
