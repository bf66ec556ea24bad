// The output of `why`, compared with exhaustive search: every number is true, and every suggestion
// starts the job.
#include <regex>

#include <gmock/gmock.h>

#include "base/testing/property.h"
#include "base/text.h"
#include "scheduler/brute_force_for_test.h"
#include "scheduler/cases_for_test.h"
#include "scheduler/scheduler.h"
#include "scheduler/worlds_for_test.h"

namespace muster::scheduler {
namespace {

constexpr int64_t kNow = 1'000'000;
constexpr int64_t kMinute = 60'000;

std::string ClockText(int64_t wall_ms) { return std::to_string(wall_ms); }

// A cluster that runs the first submitted jobs, and a queue of the others.
struct World {
  Cluster cluster;
  std::vector<Waiting> queue;
};

World AnyWorld() {
  World world;
  world.cluster.nodes = *AnyNodes(4);
  for (const Asked& asked : *AnyJobs(Limits::kSome)) {
    const Decision alone = Decide(world.cluster, {asked.job}, kNow);
    if (alone.start.empty() || !world.queue.empty()) {
      world.queue.push_back(asked.job);
      continue;
    }
    Holding holding{.id = asked.job.id, .priority = asked.job.priority};
    holding.preemptible = asked.preemptible;
    holding.started_ms = kNow - asked.job.id;
    holding.allocation = alone.start.front().allocation;
    if (asked.job.limit_ms) holding.until_ms = kNow + Between(-1, 30) * kMinute;
    world.cluster.running.push_back(holding);
  }
  for (Waiting& job : world.queue) {
    if (job.limit_ms) job.limit_ms = Between(1, 30) * kMinute;
  }
  std::sort(world.queue.begin(), world.queue.end(), [](const Waiting& a, const Waiting& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.id < b.id;
  });
  return world;
}

bool Starts(const World& world, size_t index, const Waiting& changed) {
  std::vector<Waiting> queue = world.queue;
  queue[index] = changed;
  return Contains(Ids(Decide(world.cluster, queue, kNow).start), changed.id);
}

// The cluster after the decision is executed.
Cluster After(const World& world, const Decision& decision) {
  Cluster cluster = world.cluster;
  for (const Start& start : decision.start) {
    Holding holding{.id = start.id, .allocation = start.allocation};
    for (const Waiting& job : world.queue) {
      if (job.id == start.id && job.limit_ms) holding.until_ms = kNow + *job.limit_ms;
    }
    cluster.running.push_back(holding);
  }
  return cluster;
}

// The state in which a user calls `why`: all jobs that can start have started.
World Settled(World world) {
  for (Decision next = Decide(world.cluster, world.queue, kNow);
       !next.start.empty() || !next.preempt.empty();
       next = Decide(world.cluster, world.queue, kNow)) {
    world.cluster = After(world, next);
    const std::vector<JobId> started = Ids(next.start);
    std::erase_if(world.queue, [&](const Waiting& job) { return Contains(started, job.id); });
    for (Holding& job : world.cluster.running) {
      job.stopping = job.stopping || Contains(next.preempt, job.id);
    }
  }
  return world;
}

// "free now: 8, 3 and 0" in descending order, for a job with one device kind.
std::string FreeText(const Cluster& cluster, const std::string& kind) {
  Counts free = CountsOf(cluster.nodes);
  for (const Holding& job : cluster.running) Add(free, cluster.nodes, job.allocation, -1);
  std::vector<int> counts;
  for (auto& node : free) counts.push_back(node[kind]);
  std::sort(counts.rbegin(), counts.rend());
  std::string text = "free now: ";
  for (size_t i = 0; i < counts.size(); ++i) {
    if (i > 0) text += i + 1 == counts.size() ? " and " : ", ";
    text += std::to_string(counts[i]);
  }
  return text;
}

TEST(WhyProperty, NeverStartingStartingAndPositionAreCorrect) {
  CheckProperty(150, [] {
    const World world = AnyWorld();
    const std::vector<JobId> starting = Ids(Decide(world.cluster, world.queue, kNow).start);
    int place = 0;
    for (const Waiting& job : world.queue) {
      const Why why = Explain(world.cluster, world.queue, job.id, kNow, ClockText);
      RC_ASSERT(why.can_ever_fit == FitsEmpty(world.cluster.nodes, job.demand));
      RC_ASSERT((why.text.find("about to start") != std::string::npos) ==
                Contains(starting, job.id));
      const bool waits = why.can_ever_fit && !Contains(starting, job.id);
      RC_ASSERT(why.position == (waits ? ++place : 0));
    }
  });
}

TEST(WhyProperty, HeadShowsFreeDevicesAndStartTime) {
  int heads = 0, dated = 0;
  CheckProperty(150, [&] {
    const World world = AnyWorld();
    const Decision decision = Decide(world.cluster, world.queue, kNow);
    const Cluster after = After(world, decision);
    for (const Waiting& job : world.queue) {
      const Why why = Explain(world.cluster, world.queue, job.id, kNow, ClockText);
      if (why.position == 0) continue;
      if (job.demand.groups.size() == 1) {
        const std::string free = FreeText(after, job.demand.groups.front().kind);
        RC_ASSERT(why.text.find(free) != std::string::npos);
      }
      if (why.position != 1) continue;
      ++heads;
      const auto expected = EarliestFit(after, decision.preempt, job.demand, kNow);
      RC_ASSERT(why.expected_ms == expected);
      dated += expected ? 1 : 0;
    }
  });
  EXPECT_GT(heads, 30);
  EXPECT_GT(dated, 15);
}

// The number after `flag` in a suggestion, or nothing.
std::optional<int> Offered(const std::string& way_out, const std::string& flag) {
  std::smatch match;
  if (!std::regex_search(way_out, match, std::regex(flag + "(\\d+)"))) return std::nullopt;
  return int(*ParseInt(match[1].str()));
}

TEST(WhyProperty, EverySuggestionStartsTheJobAndIsTheLargest) {
  int offers = 0;
  CheckProperty(150, [&offers] {
    const World world = Settled(AnyWorld());
    for (size_t i = 0; i < world.queue.size(); ++i) {
      const Waiting& job = world.queue[i];
      const Why why = Explain(world.cluster, world.queue, job.id, kNow, ClockText);
      if (why.position == 0) continue;
      const auto with = [&](auto change) {
        Waiting changed = job;
        change(changed);
        return Starts(world, i, changed);
      };
      const auto with_nodes = [&](int nodes) {
        return with([&](Waiting& w) { w.demand.groups.front().nodes = nodes; });
      };
      const auto with_count = [&](int count) {
        return with([&](Waiting& w) { w.demand.groups.front().count = count; });
      };
      const auto nodes = Offered(why.way_out, "-N ");
      const auto count = Offered(why.way_out, "-g \\w+:");
      const auto minutes = Offered(why.way_out, "time limit of ");
      const Demand::Group& group = job.demand.groups.front();
      RC_ASSERT((!nodes || (*nodes < group.nodes && with_nodes(*nodes))));
      RC_ASSERT((!count || (*count < group.count && with_count(*count))));
      RC_ASSERT((!minutes || with([&](Waiting& w) { w.limit_ms = *minutes * kMinute; })));
      offers += nodes || count || minutes ? 1 : 0;
      if (why.position != 1 || job.demand.groups.size() != 1) continue;
      for (int more = nodes.value_or(0) + 1; more < group.nodes; ++more) {
        RC_ASSERT(!with_nodes(more));
      }
      for (int more = count.value_or(0) + 1; more < group.count; ++more) {
        RC_ASSERT(!with_count(more));
      }
    }
  });
  EXPECT_GT(offers, 30);
}

}  // namespace
}  // namespace muster::scheduler
