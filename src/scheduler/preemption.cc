#include "scheduler/preemption.h"

#include <algorithm>
#include <span>

#include "scheduler/placement.h"

namespace muster::scheduler {

namespace {

constexpr int kMaxTries = 2'000;

bool Wants(const DevicePool& pool, const Demand& demand, const Holder& holder) {
  for (const Grant& grant : holder.placement) {
    if (demand.memory > 0 && grant.memory > 0) return true;
    for (const Demand::Group& group : demand.groups) {
      if (grant.kind >= 0 && grant.kind == pool.KindIndex(group.kind)) return true;
    }
  }
  return false;
}

size_t DeviceCount(const Holder& holder) {
  size_t count = 0;
  for (const Grant& grant : holder.placement) count += grant.devices.size();
  return count;
}

// Tries sets of increasing size in the order of the candidates.
class SmallestSet {
 public:
  SmallestSet(DevicePool pool, const std::vector<Holder>& holders, const Demand& demand,
              const std::vector<size_t>& candidates)
      : pool_(std::move(pool)), holders_(holders), demand_(demand), candidates_(candidates) {}

  // Returns false if the search limit was reached before a set was found.
  bool Run(std::vector<size_t>& victims) {
    for (size_t size = 1; size <= candidates_.size() && tries_left_ > 0; ++size) {
      if (Pick(0, size)) {
        victims = chosen_;
        return true;
      }
    }
    return false;
  }

 private:
  bool Pick(size_t from, size_t missing) {
    if (missing == 0) return --tries_left_ >= 0 && Place(pool_, demand_).has_value();
    for (size_t at = from; at + missing <= candidates_.size() && tries_left_ > 0; ++at) {
      const Placement& placement = holders_[candidates_[at]].placement;
      pool_.Give(placement);
      chosen_.push_back(candidates_[at]);
      if (Pick(at + 1, missing - 1)) return true;
      chosen_.pop_back();
      pool_.Take(placement);
    }
    return false;
  }

  DevicePool pool_;
  const std::vector<Holder>& holders_;
  const Demand& demand_;
  const std::vector<size_t>& candidates_;
  std::vector<size_t> chosen_;
  int tries_left_ = kMaxTries;
};

// Starts with all candidates and removes unneeded ones by halving: a half that is not needed costs
// one trial.
class Spare {
 public:
  Spare(DevicePool pool, const std::vector<Holder>& holders, const Demand& demand)
      : pool_(std::move(pool)), holders_(holders), demand_(demand) {}

  // Removes small jobs first, so that few large ones remain.
  std::vector<size_t> Run(const std::vector<size_t>& candidates) {
    for (const size_t index : candidates) pool_.Give(holders_[index].placement);
    std::vector<size_t> order = candidates;
    std::sort(order.begin(), order.end(), [this](size_t a, size_t b) {
      const size_t size_a = DeviceCount(holders_[a]), size_b = DeviceCount(holders_[b]);
      return size_a != size_b ? size_a < size_b : holders_[a].started_ms < holders_[b].started_ms;
    });
    Range(order);
    return std::move(victims_);
  }

 private:
  void Range(std::span<const size_t> range) {
    for (const size_t index : range) pool_.Take(holders_[index].placement);
    if (Place(pool_, demand_)) return;
    for (const size_t index : range) pool_.Give(holders_[index].placement);
    if (range.size() == 1) {
      victims_.push_back(range.front());
      return;
    }
    Range(range.first(range.size() / 2));
    Range(range.subspan(range.size() / 2));
  }

  DevicePool pool_;
  const std::vector<Holder>& holders_;
  const Demand& demand_;
  std::vector<size_t> victims_;
};

}  // namespace

std::vector<size_t> ChooseVictims(const DevicePool& free, const std::vector<Holder>& holders,
                                  const Waiting& waiting) {
  DevicePool pool = free;
  std::vector<size_t> candidates;
  for (size_t i = 0; i < holders.size(); ++i) {
    const Holder& holder = holders[i];
    if (holder.stopping) {
      pool.Give(holder.placement);
    } else if (holder.preemptible && holder.priority < waiting.priority &&
               Wants(pool, waiting.demand, holder)) {
      candidates.push_back(i);
    }
  }
  if (candidates.empty() || Place(pool, waiting.demand)) return {};
  DevicePool everything = pool;
  for (const size_t index : candidates) everything.Give(holders[index].placement);
  if (!Place(everything, waiting.demand)) return {};

  std::sort(candidates.begin(), candidates.end(), [&holders](size_t a, size_t b) {
    const Holder &x = holders[a], &y = holders[b];
    if (x.priority != y.priority) return x.priority < y.priority;
    return x.started_ms != y.started_ms ? x.started_ms > y.started_ms : x.id > y.id;
  });
  std::vector<size_t> victims;
  if (!SmallestSet(pool, holders, waiting.demand, candidates).Run(victims)) {
    victims = Spare(pool, holders, waiting.demand).Run(candidates);
  }
  std::sort(victims.begin(), victims.end());
  return victims;
}

}  // namespace muster::scheduler
