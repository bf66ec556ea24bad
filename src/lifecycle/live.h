#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/job.h"
#include "store/journal.h"

namespace muster::lifecycle {

// A job that is not over, as it is held in memory.
struct Live {
  Job job;
  std::set<JobId> waits_for;  // jobs named in `after` that have not ended
  bool updating = false;  // new values are being journaled; it does not start
  bool queued = false;        // stands in the queue: on disk, nothing to wait for but room
  bool finishing = false;     // the end of its attempt, or its own, is being made durable
  bool requeuing = false;     // of these: another attempt follows
  std::vector<std::function<void()>> asked_meanwhile;  // while requeuing; done once it waits
  bool resumed = false;           // another server, which died, began what it does now
  bool flush_due = false;         // what its record told has yet to be journaled
  std::vector<store::Op> unsaid;  // of that, the moves
  std::string stop_asked_by;      // a user, or empty
  std::optional<Job> ended;       // as its end is being made durable
};

}  // namespace muster::lifecycle
