// Properties of the scheduler on small random clusters, compared with exhaustive search and
// simulated runs.
#include <limits>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "base/testing/property.h"
#include "scheduler/brute_force_for_test.h"
#include "scheduler/cases_for_test.h"
#include "scheduler/placement.h"
#include "scheduler/preemption.h"
#include "scheduler/round.h"
#include "scheduler/scheduler.h"
#include "scheduler/worlds_for_test.h"

namespace muster::scheduler {
namespace {

TEST(SchedulerProperty, PlaceSucceedsExactlyIfAPlacementExists) {
  int fitting = 0;
  CheckProperty(3'000, [&fitting] {
    const auto nodes = *AnyNodes(4);
    const auto demand = *AnyDemand(3);
    const bool fits = Place(DevicePool(nodes), demand).has_value();
    RC_ASSERT(fits == FitsEmpty(nodes, demand));
    fitting += fits ? 1 : 0;
  });
  EXPECT_GT(fitting, 200);
}

// Simulates a cluster and checks every decision that it executes.
class Simulation {
 public:
  explicit Simulation(std::vector<NodeInfo> nodes) { cluster_.nodes = std::move(nodes); }

  void Submit(const Asked& asked) {
    asked_[asked.job.id] = asked;
    Enqueue(asked.job);
  }

  // Decides, starts and stops jobs, and advances to the next end. Returns false if nothing can
  // happen.
  bool Step() {
    Act();
    if (cluster_.running.empty()) return false;
    int64_t next = std::numeric_limits<int64_t>::max();
    for (const Holding& job : cluster_.running) next = std::min(next, ends_[job.id]);
    now_ = std::max(now_, next);
    std::erase_if(cluster_.running, [&](const Holding& job) {
      if (ends_[job.id] > now_) return false;
      if (job.stopping) Enqueue(asked_[job.id].job);  // preempted: queued again
      return true;
    });
    return true;
  }

  void Act() {
    const Decision decision = Decide(cluster_, queue_, now_);
    const auto head = HeadAfter(decision);
    RC_ASSERT((decision.preempt.empty() || head));
    for (const JobId id : decision.preempt) Preempt(id, head->priority);
    for (const Start& start : decision.start) Carry(start);
    CheckNothingIsHeldTwice();
  }

  Round Look() const { return RunRound(cluster_, queue_, now_); }
  const std::vector<Waiting>& queue() const { return queue_; }
  const Cluster& cluster() const { return cluster_; }
  std::optional<int64_t> StartOf(JobId id) const {
    const auto found = started_.find(id);
    return found == started_.end() ? std::nullopt : std::optional(found->second);
  }
  int64_t now() const { return now_; }

 private:
  // The first job of the queue that could run on this cluster and was not started.
  std::optional<Waiting> HeadAfter(const Decision& decision) const {
    const std::vector<JobId> started = Ids(decision.start);
    for (const Waiting& job : queue_) {
      if (!Contains(started, job.id) && FitsEmpty(cluster_.nodes, job.demand)) return job;
    }
    return std::nullopt;
  }

  void Enqueue(const Waiting& job) {
    const auto at = std::find_if(queue_.begin(), queue_.end(), [&](const Waiting& other) {
      return std::pair(-other.priority, other.id) > std::pair(-job.priority, job.id);
    });
    queue_.insert(at, job);
  }

  void Preempt(JobId id, int head_priority) {
    for (Holding& job : cluster_.running) {
      if (job.id != id) continue;
      RC_ASSERT(job.preemptible);
      RC_ASSERT(job.priority < head_priority);
      RC_ASSERT(!job.stopping);  // preempted only once
      job.stopping = true;
      ends_[id] = std::min(ends_[id], now_ + 1);
    }
  }

  void Carry(const Start& start) {
    const auto at = std::find_if(queue_.begin(), queue_.end(),
                                 [&](const Waiting& job) { return job.id == start.id; });
    RC_ASSERT(at != queue_.end());  // started only once, and only after submit
    CheckWhole(at->demand, start.allocation);
    const Asked& asked = asked_[start.id];
    Holding holding{.id = start.id, .priority = at->priority, .preemptible = asked.preemptible};
    holding.started_ms = now_;
    holding.allocation = start.allocation;
    if (at->limit_ms) holding.until_ms = now_ + *at->limit_ms;
    cluster_.running.push_back(holding);
    ends_[start.id] = now_ + asked.runs_ms;
    started_.emplace(start.id, now_);
    queue_.erase(at);
  }

  // Checks that the allocation has all requested devices, each node of a role on a different
  // machine.
  void CheckWhole(const Demand& demand, const Allocation& allocation) const {
    size_t share = 0;
    for (const Demand::Group& group : demand.groups) {
      std::set<std::string> machines;
      for (int i = 0; i < group.nodes; ++i, ++share) {
        RC_ASSERT(share < allocation.nodes.size());
        const NodeShare& given = allocation.nodes[share];
        RC_ASSERT(given.index == int(share));
        RC_ASSERT(given.role == group.role);
        RC_ASSERT(given.kind == group.kind);
        RC_ASSERT(int(given.devices.size()) == group.count);
        RC_ASSERT(std::is_sorted(given.devices.begin(), given.devices.end()));
        RC_ASSERT(machines.insert(given.node).second);
      }
    }
    RC_ASSERT(share == allocation.nodes.size());
  }

  void CheckNothingIsHeldTwice() const {
    std::map<std::string, std::map<std::string, int>> totals;
    for (const NodeInfo& node : cluster_.nodes) totals[node.name] = node.devices;
    std::set<std::tuple<std::string, std::string, int>> held;
    for (const Holding& job : cluster_.running) {
      for (const NodeShare& share : job.allocation.nodes) {
        for (const int device : share.devices) {
          RC_ASSERT(held.insert({share.node, share.kind, device}).second);
          RC_ASSERT(device >= 0);
          RC_ASSERT(device < totals[share.node][share.kind]);
        }
      }
    }
  }

  Cluster cluster_;
  std::vector<Waiting> queue_;
  std::map<JobId, Asked> asked_;
  std::map<JobId, int64_t> ends_, started_;
  int64_t now_ = 1'000;
};

TEST(SchedulerProperty, NoDeviceIsGrantedTwiceAndEveryFittingJobRuns) {
  CheckProperty(150, [] {
    const auto nodes = *AnyNodes(5);
    const auto jobs = *AnyJobs(Limits::kSome);
    Simulation simulation(nodes);
    for (const Asked& asked : jobs) simulation.Submit(asked);
    int steps = 0;
    while (simulation.Step()) RC_ASSERT(++steps < 2'000);
    for (const Asked& asked : jobs) {
      RC_ASSERT(simulation.StartOf(asked.job.id).has_value() == FitsEmpty(nodes, asked.job.demand));
    }
  });
}

// Later jobs of equal priority do not delay a job forever, whatever runs and arrives.
TEST(SchedulerProperty, NoJobStarves) {
  CheckProperty(150, [] {
    const auto nodes = *AnyNodes(4);
    auto jobs = *AnyJobs(Limits::kSome);
    const auto wide = *rc::gen::suchThat(
        AnyDemand(2), [&](const Demand& demand) { return FitsEmpty(nodes, demand); });
    const auto stream = *rc::gen::container<std::vector<Asked>>(20, AnyAsked(Limits::kSome));
    Simulation simulation(nodes);
    for (Asked& asked : jobs) {
      asked.job.priority = 0;
      simulation.Submit(asked);
    }
    JobId id = JobId(jobs.size()) + 1;
    const JobId waiting = id;
    simulation.Submit({Job(id, wide), 10, false});
    for (size_t steps = 0; !simulation.StartOf(waiting); ++steps) {
      Asked next = stream[steps % stream.size()];
      next.job.id = ++id;
      next.job.priority = 0;
      simulation.Submit(next);
      RC_ASSERT(simulation.Step());
      RC_ASSERT(steps < 200u);
    }
  });
}

// Backfill does not delay the earliest start of the head that the time limits imply, in any state
// of the cluster.
TEST(SchedulerProperty, BackfillDoesNotMoveTheEarliestFitOfTheHead) {
  int filled = 0;
  CheckProperty(300, [&filled] {
    const auto jobs = *AnyJobs(Limits::kSome);
    Simulation simulation(*AnyNodes(5));
    for (const Asked& asked : jobs) simulation.Submit(asked);
    do {
      const Round round = simulation.Look();
      if (!round.head) continue;
      const Waiting& head = simulation.queue()[*round.head];
      Cluster before = simulation.cluster(), after = simulation.cluster();
      for (const Start& start : round.decision.start) {
        const auto at = std::find_if(simulation.queue().begin(), simulation.queue().end(),
                                     [&](const Waiting& job) { return job.id == start.id; });
        Holding holding{.id = start.id, .allocation = start.allocation};
        if (at->limit_ms) holding.until_ms = simulation.now() + *at->limit_ms;
        after.running.push_back(holding);
        if (at - simulation.queue().begin() < std::ptrdiff_t(*round.head)) {
          before.running.push_back(holding);
        } else {
          ++filled;
        }
      }
      const auto& leaving = round.decision.preempt;
      const auto promised = EarliestFit(before, leaving, head.demand, simulation.now());
      RC_ASSERT(round.reservation);
      RC_ASSERT(round.reservation->at_ms == promised);
      if (promised) {
        RC_ASSERT(EarliestFit(after, leaving, head.demand, simulation.now()) == promised);
      }
    } while (simulation.Step());
  });
  EXPECT_GT(filled, 100);
}

bool SomebodyStops(const Round& round) {
  return std::any_of(round.holders.begin(), round.holders.end(),
                     [](const Holder& holder) { return holder.stopping; });
}

// The start time computed when a job becomes head is kept despite backfill.
TEST(SchedulerProperty, ReservedStartOfTheHeadIsKept) {
  int promises = 0;
  CheckProperty(200, [&promises] {
    const auto limits = *rc::gen::element(Limits::kAll, Limits::kExact);
    const auto jobs = *AnyJobs(limits);
    Simulation simulation(*AnyNodes(5));
    for (const Asked& asked : jobs) simulation.Submit(asked);
    std::map<JobId, int64_t> promised;
    do {
      const Round round = simulation.Look();
      if (SomebodyStops(round)) {
        // The stop takes time that no limit predicts, and the job is queued again.
        promised.clear();
      } else if (round.head && round.reservation->at_ms) {
        const Waiting& head = simulation.queue()[*round.head];
        const auto [at, fresh] = promised.emplace(head.id, *round.reservation->at_ms);
        RC_ASSERT(*round.reservation->at_ms <= std::max(at->second, simulation.now()));
        promises += fresh ? 1 : 0;
      }
    } while (simulation.Step());
    for (const auto& [job, at] : promised) {
      RC_ASSERT(simulation.StartOf(job).has_value());
      RC_ASSERT(*simulation.StartOf(job) <= at);
    }
  });
  EXPECT_GT(promises, 300);
}

// The size of the smallest set, by trying all sets.
size_t SmallestSet(const DevicePool& free, const std::vector<Holder>& holders, const Waiting& job) {
  size_t best = SIZE_MAX;
  for (unsigned set = 0; set < 1u << holders.size(); ++set) {
    DevicePool pool = free;
    bool allowed = true;
    for (size_t i = 0; i < holders.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      allowed = allowed && holders[i].preemptible && holders[i].priority < job.priority;
      pool.Give(holders[i].placement);
    }
    if (allowed && Place(pool, job.demand)) best = std::min(best, size_t(__builtin_popcount(set)));
  }
  return best;
}

TEST(SchedulerProperty, PreemptionStopsTheFewestJobsThatHelp) {
  int stopped = 0;
  CheckProperty(800, [&stopped] {
    DevicePool free(*AnyNodes(4));
    std::vector<Holder> holders;
    for (JobId id = 1; id <= 8; ++id) {
      std::optional<Placement> placement = Place(free, *AnyDemand(2));
      if (!placement) continue;
      free.Take(*placement);
      holders.push_back(Holder{.id = id,
                               .priority = Between(0, 3),
                               .preemptible = Between(0, 3) > 0,
                               .started_ms = id,
                               .placement = std::move(*placement)});
    }
    const Waiting job = Job(99, *AnyDemand(2), 2);
    const std::vector<size_t> victims = ChooseVictims(free, holders, job);
    const size_t smallest = SmallestSet(free, holders, job);
    RC_ASSERT(victims.size() == (smallest == SIZE_MAX ? 0 : smallest));
    stopped += victims.empty() ? 0 : 1;
  });
  EXPECT_GT(stopped, 40);
}

}  // namespace
}  // namespace muster::scheduler
