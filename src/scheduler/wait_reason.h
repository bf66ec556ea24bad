#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "scheduler/round.h"
#include "scheduler/scheduler.h"

namespace muster::scheduler {

// Short reasons why jobs of one queue wait, for lists. The round is decided once for all of them.
class WaitReasons {
 public:
  WaitReasons(Cluster cluster, std::vector<Waiting> queue, int64_t now_ms);

  // "needs 8 npu on one node; free now: 3", "waits behind job 12; …", "can never start here: …".
  // Empty for a job that is not in the queue.
  std::string Of(JobId id) const;

 private:
  const Cluster cluster_;
  const std::vector<Waiting> queue_;
  const Round round_;
  std::unordered_map<JobId, size_t> index_;
  std::unordered_set<JobId> started_;
};

// Why no state of these nodes ever has room for the demand, and what would fit; nothing when it
// fits.
struct Never {
  std::string text;     // "needs 16 npu on one node, the largest has 8"
  std::string way_out;  // "with -g npu:8 it could start here", or empty
};
std::string NeverText(const Never& never);  // both in one line
std::optional<Never> NeverFits(const std::vector<NodeInfo>& nodes, const Demand& demand);

}  // namespace muster::scheduler
