#pragma once

#include <vector>

#include "scheduler/reservation.h"

namespace muster::scheduler {

// Which running jobs to stop so that `waiting` fits: the smallest set of preemptible jobs of lower
// priority; of equal sets the one of lowest priority, then of the latest start. Indices into
// `holders`, ascending. Empty when it fits once those already stopping are gone, and when no set
// would help. A large cluster is searched within a bound: the set is then one from which nobody can
// be spared, though perhaps not the smallest.
std::vector<size_t> ChooseVictims(const DevicePool& free, const std::vector<Holder>& holders,
                                  const Waiting& waiting);

}  // namespace muster::scheduler
