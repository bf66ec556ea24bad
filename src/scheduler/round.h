#pragma once

#include <optional>
#include <vector>

#include "scheduler/reservation.h"
#include "scheduler/scheduler.h"

namespace muster::scheduler {

// One scheduling round with its intermediate results, so that Explain describes the same
// computation that Decide executes.
struct Round {
  Decision decision;
  std::optional<size_t> head;  // index in the queue; nothing if no job waits for devices
  std::optional<Reservation> reservation;  // of the head
  std::vector<Holder> holders;             // running jobs, then those started in this round
  DevicePool free;                         // after the starts
  DevicePool empty;                        // the whole cluster
};

Round RunRound(const Cluster& cluster, const std::vector<Waiting>& queue, int64_t now_ms);

// Whether the empty cluster can place the demand.
bool CanEverFit(const DevicePool& empty, const Demand& demand);

}  // namespace muster::scheduler
