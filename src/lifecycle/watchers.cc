#include "lifecycle/watchers.h"

#include <utility>

namespace muster::lifecycle {

Watchers::Id Watchers::Add(std::optional<JobId> job, std::function<void()> fn) {
  const Id id = next_++;
  (job ? of_job_[*job] : of_all_).insert(id);
  watchers_.emplace(id, Watcher{job, std::move(fn)});
  return id;
}

void Watchers::Remove(Id id) {
  const auto found = watchers_.find(id);
  if (found == watchers_.end()) return;
  if (const std::optional<JobId> job = found->second.job) {
    const auto ids = of_job_.find(*job);
    ids->second.erase(id);
    if (ids->second.empty()) of_job_.erase(ids);
  } else {
    of_all_.erase(id);
  }
  watchers_.erase(found);
}

void Watchers::Tell(const std::set<JobId>& changed) {
  if (changed.empty()) return;
  std::vector<Id> told(of_all_.begin(), of_all_.end());
  for (const JobId job : changed)
    if (const auto ids = of_job_.find(job); ids != of_job_.end())
      told.insert(told.end(), ids->second.begin(), ids->second.end());
  for (const Id id : told) {
    const auto found = watchers_.find(id);
    if (found == watchers_.end()) continue;
    const std::function<void()> fn = found->second.fn;  // the callback may remove its own watcher
    fn();
  }
}

}  // namespace muster::lifecycle
