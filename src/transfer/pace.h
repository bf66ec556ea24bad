#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/thread_annotations.h"

namespace muster::transfer {

// A limit on bytes per second over all workers. Any thread.
class Pace {
 public:
  Pace(int64_t bytes_per_second, const Clock& clock) : rate_(bytes_per_second), clock_(clock) {}

  // Takes note of bytes that moved; how long the caller must wait before it moves more. Up to a
  // fifth of a second's worth may go ahead at once.
  int64_t Moved(int64_t bytes) EXCLUDES(mutex_);

 private:
  const int64_t rate_;  // 0: no limit
  const Clock& clock_;
  Mutex mutex_;
  double due_ms_ GUARDED_BY(mutex_) = 0;  // steady time at which all that moved was allowed to
};

}  // namespace muster::transfer
