#include "scheduler/round.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "scheduler/placement.h"
#include "scheduler/preemption.h"

namespace muster::scheduler {

namespace {

// Limit of placements tried for jobs behind the head. A demand that was refused before costs
// nothing.
constexpr int kMaxBackfillTries = 1'000;

struct DemandHash {
  size_t operator()(const Demand* demand) const {
    size_t hash = demand->groups.size();
    for (const Demand::Group& group : demand->groups) {
      hash = hash * 1'000'003 + std::hash<std::string_view>{}(group.kind);
      hash = hash * 1'000'003 + size_t(group.nodes);
      hash = hash * 1'000'003 + size_t(group.count);
    }
    return hash;
  }
};
struct DemandEqual {
  bool operator()(const Demand* a, const Demand* b) const { return *a == *b; }
};

// Remembers refused demands. Free devices only decrease within a round, so a refusal stays valid.
// Jobs of a sweep have equal demands: the last one is compared first.
class Refused {
 public:
  bool Has(const Demand& demand) const {
    return (last_ != nullptr && *last_ == demand) || demands_.contains(&demand);
  }
  void Add(const Demand& demand) {
    demands_.insert(&demand);
    last_ = &demand;
  }

 private:
  std::unordered_set<const Demand*, DemandHash, DemandEqual> demands_;
  const Demand* last_ = nullptr;
};

int64_t AddClamped(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

class Rounds {
 public:
  Rounds(const Cluster& cluster, const std::vector<Waiting>& queue, int64_t now_ms)
      : cluster_(cluster),
        queue_(queue),
        now_ms_(now_ms),
        round_{.free = DevicePool(cluster.nodes), .empty = DevicePool(cluster.nodes)} {}

  Round Run() {
    TakeRunning();
    const size_t head = StartUntilHead();
    if (head < queue_.size()) {
      round_.head = head;
      MakeRoomForHead(queue_[head]);
      Backfill(head + 1);
    }
    return std::move(round_);
  }

 private:
  void TakeRunning() {
    const NodeNames names(cluster_.nodes);
    round_.holders.reserve(cluster_.running.size());
    for (const Holding& job : cluster_.running) {
      round_.holders.push_back(
          Holder{.id = job.id,
                 .priority = job.priority,
                 .preemptible = job.preemptible,
                 .stopping = job.stopping,
                 .started_ms = job.started_ms,
                 .until_ms = job.until_ms,
                 .placement = names.Resolve(job.allocation, round_.free, job.memory)});
      round_.free.Take(round_.holders.back().placement);
    }
  }

  // Starts jobs in queue order until one does not fit, and returns its index.
  size_t StartUntilHead() {
    for (size_t i = 0; i < queue_.size(); ++i) {
      const Waiting& job = queue_[i];
      if (impossible_.Has(job.demand)) continue;
      if (std::optional<Placement> placement = Place(round_.free, job.demand)) {
        Start(job, std::move(*placement));
      } else if (CanEverFit(round_.empty, job.demand)) {
        return i;
      } else {
        impossible_.Add(job.demand);
      }
    }
    return queue_.size();
  }

  void Start(const Waiting& job, Placement placement) {
    round_.free.Take(placement);
    round_.decision.start.push_back({job.id, ToAllocation(placement, job.demand, cluster_.nodes)});
    Holder holder{.id = job.id, .priority = job.priority, .started_ms = now_ms_};
    if (job.limit_ms) holder.until_ms = AddClamped(now_ms_, *job.limit_ms);
    holder.placement = std::move(placement);
    round_.holders.push_back(std::move(holder));
  }

  void MakeRoomForHead(const Waiting& job) {
    for (const size_t victim : ChooseVictims(round_.free, round_.holders, job)) {
      round_.holders[victim].stopping = true;
      round_.decision.preempt.push_back(round_.holders[victim].id);
    }
    round_.reservation = Reserve(round_.free, round_.holders, job.demand, now_ms_);
  }

  // Starts jobs behind the head on devices that are not reserved, or on reserved ones if they end
  // in time.
  void Backfill(size_t from) {
    if (!round_.reservation) return;
    DevicePool outside = BesideReservation(round_.free, *round_.reservation);
    const std::optional<int64_t> due = round_.reservation->at_ms;
    Refused refused_outside, refused_inside;
    int tries_left = kMaxBackfillTries;
    for (size_t i = from; i < queue_.size() && tries_left > 0; ++i) {
      const Waiting& job = queue_[i];
      const bool brief = due && job.limit_ms && AddClamped(now_ms_, *job.limit_ms) <= *due;
      if (impossible_.Has(job.demand)) continue;
      std::optional<Placement> placement =
          TryOnce(outside, job.demand, refused_outside, tries_left);
      if (!placement && brief) {
        placement = TryOnce(round_.free, job.demand, refused_inside, tries_left);
      }
      if (!placement) continue;
      outside.Take(*placement);
      Start(job, std::move(*placement));
    }
  }

  static std::optional<Placement> TryOnce(const DevicePool& pool, const Demand& demand,
                                          Refused& refused, int& tries_left) {
    if (refused.Has(demand)) return std::nullopt;
    --tries_left;
    std::optional<Placement> placement = Place(pool, demand);
    if (!placement) refused.Add(demand);
    return placement;
  }

  const Cluster& cluster_;
  const std::vector<Waiting>& queue_;
  const int64_t now_ms_;
  Refused impossible_;
  Round round_;
};

}  // namespace

bool CanEverFit(const DevicePool& empty, const Demand& demand) {
  if (demand.groups.size() != 1 || demand.memory > 0) return Place(empty, demand).has_value();
  // A fast path for one group, because every queued job is checked.
  const Demand::Group& group = demand.groups.front();
  if (group.count <= 0) return Place(empty, demand).has_value();
  const std::vector<int>& totals = empty.FreeCounts(empty.KindIndex(group.kind));
  return group.nodes >= 1 && std::count_if(totals.begin(), totals.end(), [&](int total) {
                               return total >= group.count;
                             }) >= group.nodes;
}

Round RunRound(const Cluster& cluster, const std::vector<Waiting>& queue, int64_t now_ms) {
  return Rounds(cluster, queue, now_ms).Run();
}

}  // namespace muster::scheduler
