// Promises of the scheduler held against brute force and against simulated runs on small random
// cases. The seeds are fixed: a failure is the same failure next time.
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "scheduler/cases_for_test.h"
#include "scheduler/placement.h"
#include "scheduler/preemption.h"
#include "scheduler/round.h"
#include "scheduler/scheduler.h"

namespace muster::scheduler {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int Int(int low, int high) { return low + int(engine_() % unsigned(high - low + 1)); }
  bool Coin() { return Int(0, 1) == 1; }

 private:
  std::mt19937 engine_;
};

std::vector<NodeInfo> RandomNodes(Random& random, int most) {
  std::vector<NodeInfo> nodes(size_t(random.Int(1, most)));
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].name = "node-" + std::to_string(i);
    nodes[i].devices = {{"npu", random.Int(0, 6)}, {"cpu", random.Int(1, 3)}};
  }
  return nodes;
}

Demand RandomDemand(Random& random, int most_groups) {
  Demand demand;
  const int groups = random.Int(1, most_groups);
  for (int i = 0; i < groups; ++i) {
    demand.groups.push_back({"role" + std::to_string(i), random.Int(1, 3),
                             random.Int(0, 4) == 0 ? "cpu" : "npu", random.Int(1, 5)});
  }
  return demand;
}

// Every way to put every node of every group on every machine.
bool BruteForce(const Demand& demand, std::vector<std::map<std::string, int>>& free, size_t group,
                int placed, size_t from) {
  if (group == demand.groups.size()) return true;
  const Demand::Group& of = demand.groups[group];
  if (placed == of.nodes) return BruteForce(demand, free, group + 1, 0, 0);
  for (size_t node = from; node < free.size(); ++node) {
    if (free[node][of.kind] < of.count) continue;
    free[node][of.kind] -= of.count;
    const bool fits = BruteForce(demand, free, group, placed + 1, node + 1);
    free[node][of.kind] += of.count;
    if (fits) return true;
  }
  return false;
}

bool BruteForceFits(const std::vector<NodeInfo>& nodes, const Demand& demand) {
  std::vector<std::map<std::string, int>> free;
  for (const NodeInfo& node : nodes) free.push_back(node.devices);
  return BruteForce(demand, free, 0, 0, 0);
}

TEST(SchedulerProperty, PlaceFindsRoomExactlyWhenThereIsSome) {
  Random random(1);
  int fitting = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::vector<NodeInfo> nodes = RandomNodes(random, 4);
    const Demand demand = RandomDemand(random, 3);
    const bool fits = Place(DevicePool(nodes), demand).has_value();
    ASSERT_EQ(fits, BruteForceFits(nodes, demand)) << "case " << i;
    fitting += fits ? 1 : 0;
  }
  EXPECT_GT(fitting, 1'000);
}

// A running cluster that checks every decision it carries out.
class Simulation {
 public:
  explicit Simulation(std::vector<NodeInfo> nodes) { cluster_.nodes = std::move(nodes); }

  struct Ending {
    int64_t really_ms = 0;  // how long it runs; at most its limit
    Waiting job;
  };

  void Submit(const Waiting& job, int64_t runs_ms) {
    endings_[job.id] = {runs_ms, job};
    Enqueue(job);
  }

  // Decides, starts, stops whom it must, and goes on to the next end. False when nothing can
  // happen.
  bool Step() {
    Act();
    if (cluster_.running.empty()) return false;
    int64_t next = INT64_MAX;
    for (const Holding& job : cluster_.running) next = std::min(next, ends_[job.id]);
    now_ = std::max(now_, next);
    std::erase_if(cluster_.running, [&](const Holding& job) {
      if (ends_[job.id] > now_) return false;
      if (job.stopping) Enqueue(endings_[job.id].job);  // preempted: once more from the start
      return true;
    });
    return true;
  }

  void Act() {
    const Decision decision = Decide(cluster_, queue_, now_);
    for (const JobId id : decision.preempt) Preempt(id);
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
  void Enqueue(const Waiting& job) {
    const auto at = std::find_if(queue_.begin(), queue_.end(), [&](const Waiting& other) {
      return std::pair(-other.priority, other.id) > std::pair(-job.priority, job.id);
    });
    queue_.insert(at, job);
  }

  void Preempt(JobId id) {
    for (Holding& job : cluster_.running) {
      if (job.id != id) continue;
      EXPECT_TRUE(job.preemptible);
      EXPECT_FALSE(job.stopping) << "asked twice";
      job.stopping = true;
      ends_[id] = std::min(ends_[id], now_ + 1);
    }
  }

  void Carry(const Start& start) {
    const auto at = std::find_if(queue_.begin(), queue_.end(),
                                 [&](const Waiting& job) { return job.id == start.id; });
    ASSERT_NE(at, queue_.end()) << "started twice, or never submitted";
    CheckAnswers(at->demand, start.allocation);
    Holding holding{.id = start.id, .priority = at->priority, .preemptible = at->priority < 0};
    holding.started_ms = now_;
    holding.allocation = start.allocation;
    if (at->limit_ms) holding.until_ms = now_ + *at->limit_ms;
    cluster_.running.push_back(holding);
    ends_[start.id] = now_ + endings_[start.id].really_ms;
    started_.emplace(start.id, now_);
    queue_.erase(at);
  }

  void CheckAnswers(const Demand& demand, const Allocation& allocation) const {
    size_t share = 0;
    for (const Demand::Group& group : demand.groups) {
      std::set<std::string> machines;
      for (int i = 0; i < group.nodes; ++i, ++share) {
        ASSERT_LT(share, allocation.nodes.size());
        const NodeShare& given = allocation.nodes[share];
        EXPECT_EQ(given.index, int(share));
        EXPECT_EQ(given.role, group.role);
        EXPECT_EQ(given.kind, group.kind);
        EXPECT_EQ(int(given.devices.size()), group.count);
        EXPECT_TRUE(std::is_sorted(given.devices.begin(), given.devices.end()));
        EXPECT_TRUE(machines.insert(given.node).second) << "two nodes of a role on one machine";
      }
    }
    EXPECT_EQ(share, allocation.nodes.size());
  }

  void CheckNothingIsHeldTwice() const {
    std::map<std::string, std::map<std::string, int>> totals;
    for (const NodeInfo& node : cluster_.nodes) totals[node.name] = node.devices;
    std::set<std::tuple<std::string, std::string, int>> held;
    for (const Holding& job : cluster_.running) {
      for (const NodeShare& share : job.allocation.nodes) {
        for (const int device : share.devices) {
          EXPECT_TRUE(held.insert({share.node, share.kind, device}).second) << "over-committed";
          EXPECT_LT(device, totals[share.node][share.kind]);
        }
      }
    }
  }

  Cluster cluster_;
  std::vector<Waiting> queue_;
  std::map<JobId, Ending> endings_;
  std::map<JobId, int64_t> ends_, started_;
  int64_t now_ = 1'000;
};

void SubmitRandom(Random& random, Simulation& simulation, JobId id, bool limits, bool exact) {
  const int64_t runs_ms = random.Int(1, 50) * 10;
  Waiting job = Job(id, RandomDemand(random, 2), random.Int(-1, 1));
  if (limits || random.Coin()) job.limit_ms = exact ? runs_ms : runs_ms + random.Int(0, 300);
  simulation.Submit(job, runs_ms);
}

TEST(SchedulerProperty, NothingIsGivenTwiceAndEveryJobThatFitsAloneRuns) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const std::vector<NodeInfo> nodes = RandomNodes(random, 5);
    Simulation simulation(nodes);
    std::map<JobId, Demand> demands;
    JobId id = 0;
    for (int i = 0; i < 15; ++i) SubmitRandom(random, simulation, ++id, false, false);
    for (const Waiting& job : simulation.queue()) demands[job.id] = job.demand;
    int steps = 0;
    while (simulation.Step()) ASSERT_LT(++steps, 2'000) << "seed " << seed;
    for (const auto& [job, demand] : demands) {
      ASSERT_EQ(simulation.StartOf(job).has_value(), BruteForceFits(nodes, demand))
          << "seed " << seed << " job " << job;
    }
  }
}

TEST(SchedulerProperty, AWideJobStartsThoughSmallOnesKeepComing) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    Simulation simulation(Npus({4, 4, 4}));
    JobId id = 0;
    for (int i = 0; i < 8; ++i) simulation.Submit(Job(++id, Npu(1, 2)), random.Int(5, 90));
    simulation.Step();
    const JobId wide = ++id;
    simulation.Submit(Job(wide, Npu(3, 4)), 10);
    int steps = 0;
    while (!simulation.StartOf(wide)) {
      simulation.Submit(Job(++id, Npu(1, random.Int(1, 2))), random.Int(5, 90));
      ASSERT_TRUE(simulation.Step());
      ASSERT_LT(++steps, 40) << "seed " << seed;
    }
  }
}

bool SomebodyStops(const Round& round) {
  return std::any_of(round.holders.begin(), round.holders.end(),
                     [](const Holder& holder) { return holder.stopping; });
}

// The head's start is promised when it becomes head; whatever is backfilled, it is kept.
TEST(SchedulerProperty, BackfillNeverDelaysThePromisedStartOfTheHead) {
  int promises = 0, filled = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    Simulation simulation(RandomNodes(random, 5));
    JobId id = 0;
    for (int i = 0; i < 25; ++i) SubmitRandom(random, simulation, ++id, true, seed % 2 == 0);
    std::map<JobId, int64_t> promised;
    do {
      const Round round = simulation.Look();
      if (SomebodyStops(round)) {
        promised.clear();  // a stop takes a moment that no limit foretells, and queues up again
      } else if (round.head && round.reservation->at_ms) {
        const Waiting& head = simulation.queue()[*round.head];
        const auto [at, fresh] = promised.emplace(head.id, *round.reservation->at_ms);
        EXPECT_LE(*round.reservation->at_ms, std::max(at->second, simulation.now()))
            << "seed " << seed << " job " << head.id;
        promises += fresh ? 1 : 0;
        filled += round.decision.start.empty() ? 0 : 1;
      }
    } while (simulation.Step());
    for (const auto& [job, at] : promised) {
      ASSERT_TRUE(simulation.StartOf(job));
      EXPECT_LE(*simulation.StartOf(job), at) << "seed " << seed << " job " << job;
    }
  }
  EXPECT_GT(promises, 1'000);
  EXPECT_GT(filled, 500);
}

// The smallest set by trying all of them.
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

TEST(SchedulerProperty, PreemptionStopsTheFewestThatHelpOrNobody) {
  Random random(7);
  int stopped = 0;
  for (int i = 0; i < 4'000; ++i) {
    const std::vector<NodeInfo> nodes = RandomNodes(random, 4);
    DevicePool free(nodes);
    std::vector<Holder> holders;
    for (JobId id = 1; id <= 8; ++id) {
      std::optional<Placement> placement = Place(free, RandomDemand(random, 2));
      if (!placement) continue;
      free.Take(*placement);
      holders.push_back(Holder{.id = id,
                               .priority = random.Int(0, 3),
                               .preemptible = random.Int(0, 3) > 0,
                               .started_ms = id,
                               .placement = std::move(*placement)});
    }
    const Waiting job = Job(99, RandomDemand(random, 2), 2);
    const std::vector<size_t> victims = ChooseVictims(free, holders, job);
    const size_t smallest = SmallestSet(free, holders, job);
    ASSERT_EQ(victims.size(), smallest == SIZE_MAX ? 0 : smallest) << "case " << i;
    stopped += victims.empty() ? 0 : 1;
  }
  EXPECT_GT(stopped, 200);
}

}  // namespace
}  // namespace muster::scheduler
