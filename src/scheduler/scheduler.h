#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/allocation.h"
#include "model/spec.h"

namespace muster::scheduler {

// The scheduler as a pure function of values, without clock or disk.

// The demand of a job: groups of equal nodes. Nodes of one group are on different machines; nodes
// of different groups may share one.
struct Demand {
  struct Group {
    std::string role;
    int nodes = 1;
    std::string kind;
    int count = 1;  // devices per node
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
  std::optional<int64_t> limit_ms;  // time limit of the job, for backfill
};

struct Holding {
  JobId id = 0;
  int priority = 0;
  bool preemptible = false;
  bool stopping = false;   // is being stopped
  int64_t started_ms = 0;  // the youngest job is preempted first
  Allocation allocation;
  std::optional<int64_t> until_ms;  // wall time at which its time limit ends it
  int64_t memory = 0;               // bytes on each node
};

struct Cluster {
  std::vector<NodeInfo> nodes;
  std::vector<Holding> running;  // all jobs that hold devices
};

struct Start {
  JobId id = 0;
  Allocation allocation;  // without ports; the engine reserves them
};

struct Decision {
  std::vector<Start> start;    // in order
  std::vector<JobId> preempt;  // running jobs to preempt so that the head fits
};

// Precondition: `queue` is sorted by descending priority, then ascending id. The first job that
// does not fit is the head: it gets a reservation, and later jobs start only if they do not delay
// it. Jobs that can never fit delay no other job. Never grants a device twice.
Decision Decide(const Cluster& cluster, const std::vector<Waiting>& queue, int64_t now_ms);

// Why a queued job waits, with numbers, and which change would start it.
struct Why {
  int position = 0;  // 1 for the head of the jobs that wait for devices
  bool can_ever_fit = true;
  std::string text;     // "needs 8 npu on each of 2 nodes; free now: 8 and 3; job 17 holds 5 until
                        // about 14:10"
  std::string way_out;  // "with -N 1 it would start now", or empty
  std::optional<int64_t> expected_ms;  // wall time of the start according to time limits
};
// `clock_text` formats a wall time (local "14:10"); it is a parameter to keep this function pure.
Why Explain(const Cluster& cluster, const std::vector<Waiting>& queue, JobId id, int64_t now_ms,
            std::string (*clock_text)(int64_t));

// What a job may ask for at most, in words, when it asks for more memory than the machines have;
// empty when it does not, or when the memory of a machine is not known.
std::string MemoryFault(const std::vector<NodeInfo>& nodes, const Demand& demand);

}  // namespace muster::scheduler
