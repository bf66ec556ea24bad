#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/allocation.h"
#include "model/spec.h"

namespace muster::scheduler {

// Who runs next, as a pure function: values in, values out, no clock, no disk.

// What a job asks for: groups of equal nodes. Nodes of one group stand on different machines; nodes
// of different groups may share one.
struct Demand {
  struct Group {
    std::string role;
    int nodes = 1;
    std::string kind;
    int count = 1;  // devices on each node
    bool operator==(const Group&) const = default;
  };
  std::vector<Group> groups;
  int64_t memory = 0;  // bytes on each node of every group; 0: none is counted
  bool operator==(const Demand&) const = default;
};
Demand DemandOf(const JobSpec& spec);

struct Waiting {
  JobId id = 0;
  int priority = 0;
  Demand demand;
  std::optional<int64_t> limit_ms;  // its time limit, for backfill
};

struct Holding {
  JobId id = 0;
  int priority = 0;
  bool preemptible = false;
  bool stopping = false;   // on its way out already
  int64_t started_ms = 0;  // the youngest is preempted first, the oldest waited for first
  Allocation allocation;
  std::optional<int64_t> until_ms;  // wall time by which its limit ends it
  int64_t memory = 0;               // bytes on each node
};

struct Cluster {
  std::vector<NodeInfo> nodes;
  std::vector<Holding> running;  // everything that holds devices
};

struct Start {
  JobId id = 0;
  Allocation allocation;  // ports left empty: the engine reserves them
};

struct Decision {
  std::vector<Start> start;    // in order
  std::vector<JobId> preempt;  // running jobs to stop so that the head fits
};

// `queue` is in order: higher priority first, then lower id. The first job that does not fit is the
// head: it gets a reservation, and later jobs start only where they cannot delay it. Jobs that can
// never fit hold nobody up. Never gives a device twice.
Decision Decide(const Cluster& cluster, const std::vector<Waiting>& queue, int64_t now_ms);

// Why one job of the queue waits, with numbers, and what would let it start.
struct Why {
  int position = 0;  // 1 = head of those that wait for room
  bool can_ever_fit = true;
  std::string text;     // "needs 8 npu on each of 2 nodes; free now: 8 and 3; job 17 holds 5 until
                        // about 14:10"
  std::string way_out;  // "with -N 1 it would start now", or empty
  std::optional<int64_t> expected_ms;  // wall time of the start that limits promise
};
// `clock_text` renders a wall time for people (local "14:10"); a parameter so that this stays pure.
Why Explain(const Cluster& cluster, const std::vector<Waiting>& queue, JobId id, int64_t now_ms,
            std::string (*clock_text)(int64_t));

// What a job may ask for at most, in words, when it asks for more memory than the machines have;
// empty when it does not, or when the memory of a machine is not known.
std::string MemoryFault(const std::vector<NodeInfo>& nodes, const Demand& demand);

}  // namespace muster::scheduler
