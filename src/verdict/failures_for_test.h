// The helpers of the verdict tests: exits of a rank, and the verdict of a job with such an exit.
#pragma once

#include <string>
#include <vector>

#include "verdict/verdict.h"

namespace muster::verdict {

// Two ranks of which the second failed.
inline Attempt Failed(ExitReport exit) {
  Attempt attempt;
  for (int rank = 0; rank < 2; ++rank) {
    RankInfo info;
    info.rank = rank;
    info.node = rank;
    info.role = "worker";
    attempt.ranks.push_back(info);
    attempt.nodes.push_back(NodeStatus{.name = "node-" + std::to_string(rank)});
  }
  attempt.cause = Cause{.rank = 1, .node = 1, .node_name = "node-1", .exit = exit};
  attempt.exit = exit;
  return attempt;
}

inline ExitReport Exited(int code) { return {.how = ExitClass::kExitCode, .code = code}; }
inline ExitReport Killed(int signal) { return {.how = ExitClass::kSignal, .signal = signal}; }

inline Verdict JudgeLines(const std::vector<std::string>& lines, ExitReport exit = Exited(1)) {
  return Judge(Job{}, Failed(exit), lines);
}

}  // namespace muster::verdict
