#pragma once

#include <optional>
#include <vector>

#include "scheduler/device_pool.h"
#include "scheduler/scheduler.h"

namespace muster::scheduler {

// A job that holds devices, with names resolved once a round.
struct Holder {
  JobId id = 0;
  int priority = 0;
  bool preemptible = false;
  bool stopping = false;
  int64_t started_ms = 0;
  std::optional<int64_t> until_ms;
  Placement placement;
};

// Where and, if limits tell, when a job that does not fit now is going to start.
struct Reservation {
  Placement placement;
  std::optional<int64_t> at_ms;       // nothing: it waits for a job without a limit
  std::vector<int64_t> spare_memory;  // of each machine, beside this job when it starts
};

// What jobs that do not end before the reserved job starts may use now.
DevicePool BesideReservation(const DevicePool& free, const Reservation& reservation);

// The earliest start of `demand` when every holder ends at its limit: those on their way out first,
// then by limit, and last those without one, the oldest first. That order never puts a younger job
// in front of an older one, so a place that was reserved once stays as near as it was.
// Nothing when it would not even fit with all of them gone.
std::optional<Reservation> Reserve(const DevicePool& free, const std::vector<Holder>& holders,
                                   const Demand& demand, int64_t now_ms);

}  // namespace muster::scheduler
