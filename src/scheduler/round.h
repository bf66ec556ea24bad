#pragma once

#include <optional>
#include <vector>

#include "scheduler/reservation.h"
#include "scheduler/scheduler.h"

namespace muster::scheduler {

// One round of deciding with what led to it, so that Explain tells the reasons of the very same
// reckoning that Decide acts on.
struct Round {
  Decision decision;
  std::optional<size_t> head;              // index in the queue; nothing: nobody waits for room
  std::optional<Reservation> reservation;  // the head's
  std::vector<Holder> holders;             // running, then started in this round
  DevicePool free;                         // after the starts
  DevicePool empty;                        // the whole cluster
};

Round RunRound(const Cluster& cluster, const std::vector<Waiting>& queue, int64_t now_ms);

// Whether the whole cluster, were it empty, has room.
bool CanEverFit(const DevicePool& empty, const Demand& demand);

}  // namespace muster::scheduler
