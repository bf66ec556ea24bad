#pragma once

#include <optional>
#include <vector>

#include "scheduler/device_pool.h"
#include "scheduler/scheduler.h"

namespace muster::scheduler {

// A job that holds devices, with its node names resolved once per round.
struct Holder {
  JobId id = 0;
  int priority = 0;
  bool preemptible = false;
  bool stopping = false;
  int64_t started_ms = 0;
  std::optional<int64_t> until_ms;
  Placement placement;
};

// The placement, and if known the start time, of a job that does not fit now.
struct Reservation {
  Placement placement;
  std::optional<int64_t> at_ms;       // nothing if it depends on a job without a time limit
  std::vector<int64_t> spare_memory;  // of each machine, beside this job when it starts
};

// What jobs that do not end before the reserved job starts may use now.
DevicePool BesideReservation(const DevicePool& free, const Reservation& reservation);

// The earliest start of `demand` if every holder ends at its limit. Order: stopping jobs, then by
// limit, then jobs without a limit, the oldest first. This order never places a younger job before
// an older one, so a reservation does not move to a later time. Nothing if the demand does not fit
// the cluster without these holders.
std::optional<Reservation> Reserve(const DevicePool& free, const std::vector<Holder>& holders,
                                   const Demand& demand, int64_t now_ms);

}  // namespace muster::scheduler
