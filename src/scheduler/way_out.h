#pragma once

#include <string>

#include "scheduler/round.h"
#include "scheduler/scheduler.h"

namespace muster::scheduler {

// What the user could ask for instead, each verified by deciding again with the changed job:
// "with -N 1 or with -g npu:3 it would start now". Empty when nothing small enough helps.
std::string WayOut(const Cluster& cluster, const std::vector<Waiting>& queue, size_t index,
                   const Round& round, int64_t now_ms);

// The same for a job that even the empty cluster cannot take: "with -g npu:8 it could start here".
std::string WayOutOfNever(const Round& round, const Waiting& job);

}  // namespace muster::scheduler
