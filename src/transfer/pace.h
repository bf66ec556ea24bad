#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/thread_annotations.h"

namespace muster::transfer {

// A limit on the bytes per second of all workers. Any thread.
class Pace {
 public:
  Pace(int64_t bytes_per_second, const Clock& clock) : rate_(bytes_per_second), clock_(clock) {}

  // Accounts for transferred bytes and returns how long the caller must wait before it transfers
  // more. A burst of a fifth of a second is allowed.
  int64_t Moved(int64_t bytes) EXCLUDES(mutex_);

 private:
  const int64_t rate_;  // 0 means no limit
  const Clock& clock_;
  Mutex mutex_;
  double due_ms_ GUARDED_BY(mutex_) = 0;  // steady time at which the bytes so far are due
};

}  // namespace muster::transfer
