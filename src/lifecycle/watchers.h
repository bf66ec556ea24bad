#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "model/job.h"

namespace muster::lifecycle {

// Callbacks for durable changes of jobs. Thousands may watch one job each, so a change costs
// nothing for watchers of other jobs. On the loop.
class Watchers {
 public:
  using Id = uint64_t;

  // For one job, or for all.
  Id Add(std::optional<JobId> job, std::function<void()> fn);
  void Remove(Id id);
  // Calls each watcher of these jobs once. A watcher may remove itself and others.
  void Tell(const std::set<JobId>& changed);
  size_t size() const { return watchers_.size(); }

 private:
  struct Watcher {
    std::optional<JobId> job;
    std::function<void()> fn;
  };
  std::map<Id, Watcher> watchers_;
  std::map<JobId, std::set<Id>> of_job_;
  std::set<Id> of_all_;
  Id next_ = 1;
};

}  // namespace muster::lifecycle
