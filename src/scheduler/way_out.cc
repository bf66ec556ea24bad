#include "scheduler/way_out.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "scheduler/placement.h"

namespace muster::scheduler {

namespace {

// The largest value in 1 … below for which the monotonic predicate `fits` holds; 0 if none.
template <typename Fits>
int LargestBelow(int below, Fits fits) {
  int low = 0, high = below - 1;
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low > 0 && fits(low) ? low : 0;
}

Demand WithNodes(const Demand& demand, int nodes) {
  Demand changed = demand;
  changed.groups.front().nodes = nodes;
  return changed;
}

Demand WithCount(const Demand& demand, int count) {
  Demand changed = demand;
  changed.groups.front().count = count;
  return changed;
}

int MostNodes(const DevicePool& pool, const Demand& demand) {
  return LargestBelow(std::min(demand.groups.front().nodes, pool.node_count() + 1),
                      [&](int nodes) { return Place(pool, WithNodes(demand, nodes)).has_value(); });
}

int MostDevices(const DevicePool& pool, const Demand& demand) {
  return LargestBelow(demand.groups.front().count,
                      [&](int count) { return Place(pool, WithCount(demand, count)).has_value(); });
}

// Verifies a suggestion: would the scheduler start the changed job?
class Trial {
 public:
  Trial(const Cluster& cluster, const std::vector<Waiting>& queue, size_t index, int64_t now_ms)
      : cluster_(cluster), queue_(queue), index_(index), now_ms_(now_ms) {}

  bool StartsWith(const Waiting& changed) {
    queue_[index_] = changed;
    const Decision decision = Decide(cluster_, queue_, now_ms_);
    return std::any_of(decision.start.begin(), decision.start.end(),
                       [&](const Start& start) { return start.id == changed.id; });
  }

 private:
  const Cluster& cluster_;
  std::vector<Waiting> queue_;
  const size_t index_;
  const int64_t now_ms_;
};

// Devices that the job may use now: all free ones for the head, unreserved ones for others.
DevicePool OpenTo(const Round& round, size_t index) {
  if (round.head && *round.head != index && round.reservation)
    return BesideReservation(round.free, *round.reservation);
  return round.free;
}

void OfferLess(const Round& round, size_t index, const Waiting& job, Trial& trial,
               std::vector<std::string>& offers) {
  if (job.demand.groups.size() != 1) return;  // -N and -g apply to jobs without roles
  const DevicePool pool = OpenTo(round, index);
  Waiting changed = job;
  if (const int nodes = MostNodes(pool, job.demand); nodes > 0) {
    changed.demand = WithNodes(job.demand, nodes);
    if (trial.StartsWith(changed)) offers.push_back(fmt::format("with -N {}", nodes));
  }
  if (const int count = MostDevices(pool, job.demand); count > 0) {
    changed.demand = WithCount(job.demand, count);
    if (trial.StartsWith(changed)) {
      offers.push_back(fmt::format("with -g {}:{}", job.demand.groups.front().kind, count));
    }
  }
}

// Less memory on each node, in whole MiB as -m takes it.
void OfferMemory(const DevicePool& pool, const Waiting& job, Trial& trial,
                 std::vector<std::string>& offers) {
  constexpr int64_t kMiB = 1 << 20;
  const int nodes = job.demand.groups.front().nodes;
  const int64_t most = pool.MostFreeMemory() / nodes / kMiB * kMiB;
  if (job.demand.groups.size() != 1 || most < kMiB || most >= job.demand.memory) return;
  Waiting changed = job;
  changed.demand.memory = most;
  if (trial.StartsWith(changed)) offers.push_back(fmt::format("with -m {}M", most / kMiB));
}

// A job that ends before the reservation starts may use the reserved devices.
void OfferLimit(const Round& round, size_t index, const Waiting& job, int64_t now_ms, Trial& trial,
                std::vector<std::string>& offers) {
  constexpr int64_t kMinuteMs = 60'000;
  if (!round.reservation || !round.reservation->at_ms || *round.head == index) return;
  const int64_t minutes = (*round.reservation->at_ms - now_ms) / kMinuteMs;
  if (minutes < 1) return;
  Waiting changed = job;
  changed.limit_ms = minutes * kMinuteMs;
  if (trial.StartsWith(changed)) {
    offers.push_back(fmt::format("with a time limit of {}m or less", minutes));
  }
}

}  // namespace

std::string WayOut(const Cluster& cluster, const std::vector<Waiting>& queue, size_t index,
                   const Round& round, int64_t now_ms) {
  std::vector<std::string> offers;
  Trial trial(cluster, queue, index, now_ms);
  OfferLess(round, index, queue[index], trial, offers);
  OfferMemory(OpenTo(round, index), queue[index], trial, offers);
  OfferLimit(round, index, queue[index], now_ms, trial, offers);
  return offers.empty() ? "" : Join(offers, " or ") + " it would start now";
}

std::string WayOutOfNever(const Round& round, const Waiting& job) {
  if (job.demand.groups.size() != 1) return {};
  std::vector<std::string> offers;
  if (const int nodes = MostNodes(round.empty, job.demand); nodes > 0) {
    offers.push_back(fmt::format("with -N {}", nodes));
  }
  if (const int count = MostDevices(round.empty, job.demand); count > 0) {
    offers.push_back(fmt::format("with -g {}:{}", job.demand.groups.front().kind, count));
  }
  return offers.empty() ? "" : Join(offers, " or ") + " it could start here";
}

}  // namespace muster::scheduler
