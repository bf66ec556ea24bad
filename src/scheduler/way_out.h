#pragma once

#include <string>

#include "scheduler/round.h"
#include "scheduler/scheduler.h"

namespace muster::scheduler {

// Changes of the request that would start the job now, each verified by a scheduling round: "with
// -N 1 or with -g npu:3 it would start now". Empty if no small change helps.
std::string WayOut(const Cluster& cluster, const std::vector<Waiting>& queue, size_t index,
                   const Round& round, int64_t now_ms);

// As WayOut, for a job that the empty cluster cannot place: "with -g npu:8 it could start here".
std::string WayOutOfNever(const Round& round, const Waiting& job);

}  // namespace muster::scheduler
