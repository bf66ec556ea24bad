#pragma once

#include "base/result.h"
#include "model/job.h"
#include "os/file.h"

namespace muster::lifecycle {

// Gives every attempt a key of the object store that is valid while the attempt runs. Called on the
// server's loop.
class AttemptKeys {
 public:
  virtual ~AttemptKeys() = default;
  // Before the nodes of the attempt start, and again when a new server takes the attempt up: the
  // ranks keep the key that they have. `dir`: the folder of the attempt.
  virtual Status Give(const Job& job, const Attempt& attempt, const os::Path& dir) = 0;
  // When every process of the attempt has ended. May be called more than once.
  virtual void TakeBack(const Job& job, const Attempt& attempt, const os::Path& dir) = 0;
};

}  // namespace muster::lifecycle
