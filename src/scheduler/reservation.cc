#include "scheduler/reservation.h"

#include <algorithm>
#include <limits>

#include "scheduler/placement.h"

namespace muster::scheduler {

namespace {

constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();

// A job whose limit has passed may end at any moment.
int64_t EndOf(const Holder& holder, int64_t now_ms) {
  if (holder.stopping) return now_ms;
  return holder.until_ms ? std::max(*holder.until_ms, now_ms) : kUnknown;
}

std::vector<const Holder*> ByEnd(const std::vector<Holder>& holders, int64_t now_ms) {
  std::vector<const Holder*> order;
  order.reserve(holders.size());
  for (const Holder& holder : holders) order.push_back(&holder);
  std::sort(order.begin(), order.end(), [now_ms](const Holder* a, const Holder* b) {
    const int64_t end_a = EndOf(*a, now_ms), end_b = EndOf(*b, now_ms);
    if (end_a != end_b) return end_a < end_b;
    return a->started_ms != b->started_ms ? a->started_ms < b->started_ms : a->id < b->id;
  });
  return order;
}

}  // namespace

std::optional<Reservation> Reserve(const DevicePool& free, const std::vector<Holder>& holders,
                                   const Demand& demand, int64_t now_ms) {
  const std::vector<const Holder*> order = ByEnd(holders, now_ms);
  const auto place_after = [&](size_t gone) {
    DevicePool pool = free;
    for (size_t i = 0; i < gone; ++i) pool.Give(order[i]->placement);
    return Place(pool, demand);
  };
  std::optional<Placement> best = place_after(order.size());
  if (!best) return std::nullopt;
  size_t low = 0,
         high = order.size();  // fits after the first `high` have ended; find the smallest number
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (std::optional<Placement> placement = place_after(middle)) {
      best = std::move(placement);
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  DevicePool then = free;
  for (size_t i = 0; i < high; ++i) then.Give(order[i]->placement);
  then.Take(*best);
  const int64_t at = high == 0 ? now_ms : EndOf(*order[high - 1], now_ms);
  return Reservation{std::move(*best), at == kUnknown ? std::nullopt : std::optional(at),
                     then.free_memory()};
}

DevicePool BesideReservation(const DevicePool& free, const Reservation& reservation) {
  DevicePool pool = free;
  pool.Take(reservation.placement);
  // The head's memory may be held by a job that ends before, so it is not taken from what is free.
  for (const Grant& grant : reservation.placement)
    pool.Give({.node = grant.node, .memory = grant.memory});
  pool.CapMemory(reservation.spare_memory);
  return pool;
}

}  // namespace muster::scheduler
