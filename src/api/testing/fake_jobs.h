#pragma once

#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "api/job_source.h"
#include "os/file.h"

namespace muster::api {

// For tests: configurable jobs with folders in a temporary place.
class FakeJobs final : public JobSource {
 public:
  explicit FakeJobs(os::Path root) : root_(std::move(root)) {}

  Result<Job> Find(JobId id) const override {
    if (failure) return std::unexpected(*failure);
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return Fail(Code::kNotFound, fmt::format("no job {}", id));
    return found->second;
  }
  os::Path NodeDir(JobId id, int attempt, int node) const override {
    return root_ / fmt::format("jobs/{}/attempts/{}/node{}", id, attempt, node);
  }
  uint64_t OnEvents(std::optional<JobId>, std::function<void()> fn) override {
    watchers_[++last_] = std::move(fn);
    return last_;
  }
  void Unwatch(uint64_t id) override { watchers_.erase(id); }

  // Streams see changes after the next Tell, as with the conductor.
  Job& operator[](JobId id) {
    jobs_[id].id = id;
    return jobs_[id];
  }
  void Remove(JobId id) { jobs_.erase(id); }
  void Tell() {
    const auto now = watchers_;
    for (const auto& [id, fn] : now)
      if (watchers_.contains(id)) fn();
  }
  size_t watchers() const { return watchers_.size(); }

  // A new attempt with `ranks` on each of `nodes`, whose folders exist.
  Attempt& AddAttempt(JobId id, int nodes, int ranks) {
    Job& job = (*this)[id];
    Attempt attempt;
    attempt.number = int(job.attempts.size()) + 1;
    for (int node = 0; node < nodes; ++node) {
      (void)os::MakeDirs(NodeDir(id, attempt.number, node));
      for (int rank = 0; rank < ranks; ++rank)
        attempt.ranks.push_back({.rank = node * ranks + rank, .node = node});
    }
    job.state = State::kRunning;
    job.attempts.push_back(std::move(attempt));
    return job.attempts.back();
  }
  void End(JobId id, State state, ExitReport report) {
    Job& job = (*this)[id];
    if (Attempt* attempt = job.current()) {
      attempt->ended_ms = 1;
      attempt->exit = report;
    }
    job.state = state;
  }

  std::optional<Error> failure;  // the result of every look-up

 private:
  const os::Path root_;
  std::map<JobId, Job> jobs_;
  std::map<uint64_t, std::function<void()>> watchers_;
  uint64_t last_ = 0;
};

}  // namespace muster::api
