#pragma once

#include <string>

#include "scheduler/round.h"
#include "scheduler/scheduler.h"

namespace muster::scheduler {

// The sentences of Explain. Their length does not depend on the size of the cluster.

// "needs 8 npu on each of 2 nodes", "needs 1 cpu on one node (ps) and 8 npu on one node (worker)".
std::string NeedWords(const Demand& demand);

// "free now: 8 and 3"; on many nodes "free now: 8 npu on 3 nodes, at most 5 on 997 others".
std::string FreeWords(const DevicePool& pool, const Demand& demand);

// The jobs that hold reserved devices: "job 17 holds 5 until about 14:10; job 18 holds 8, without a
// time limit". Empty if there are none.
std::string HolderWords(const Round& round, const Reservation& reservation,
                        std::string (*clock_text)(int64_t));

// "needs 16 npu on one node, the largest has 8", "needs 4 nodes with 8 npu each, there are 2", …
// `memory_fault`: MemoryFault of the demand.
std::string NeverWords(const DevicePool& empty, const Demand& demand,
                       const std::string& memory_fault);

}  // namespace muster::scheduler
