#pragma once

#include <vector>

#include "scheduler/reservation.h"

namespace muster::scheduler {

// Selects the running jobs to preempt so that `waiting` fits: the smallest set of preemptible jobs
// of lower priority; of equal sets the one with the lowest priority, then the latest start. Returns
// ascending indices into `holders`; empty if the job fits after the stopping jobs have ended, or if
// no set helps. On large clusters the search is bounded: no member of the result is unneeded, but a
// smaller set may exist.
std::vector<size_t> ChooseVictims(const DevicePool& free, const std::vector<Holder>& holders,
                                  const Waiting& waiting);

}  // namespace muster::scheduler
