#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/result.h"
#include "model/job.h"
#include "os/file.h"

namespace muster::api {

// The interface that streams need of the conductor: minimal, so that tests can replace it. On the
// loop.
class JobSource {
 public:
  virtual ~JobSource() = default;
  virtual Result<Job> Find(JobId id) const = 0;
  virtual os::Path NodeDir(JobId id, int attempt, int node) const = 0;
  // `fn` runs after a change of this job, or of any job, has become durable.
  virtual uint64_t OnEvents(std::optional<JobId> job, std::function<void()> fn) = 0;
  virtual void Unwatch(uint64_t id) = 0;
};

// The attempt with this number; null if it does not exist.
const Attempt* FindAttempt(const Job& job, int number);
// Whether its logs are complete.
bool IsOver(const Job& job, const Attempt& attempt);

}  // namespace muster::api
