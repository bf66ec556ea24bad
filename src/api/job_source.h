#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/result.h"
#include "model/job.h"
#include "os/file.h"

namespace muster::api {

// What a stream asks about jobs: the conductor seen through a narrow door, so that a stream can be
// tried without one. On the loop.
class JobSource {
 public:
  virtual ~JobSource() = default;
  virtual Result<Job> Find(JobId id) const = 0;
  virtual os::Path NodeDir(JobId id, int attempt, int node) const = 0;
  // `fn` runs after something of this job, or of any, has become durable.
  virtual uint64_t OnEvents(std::optional<JobId> job, std::function<void()> fn) = 0;
  virtual void Unwatch(uint64_t id) = 0;
};

// The attempt with this number; null when there is none yet.
const Attempt* FindAttempt(const Job& job, int number);
// Nothing will be written to its logs any more.
bool IsOver(const Job& job, const Attempt& attempt);

}  // namespace muster::api
