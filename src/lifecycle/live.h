#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/job.h"
#include "store/journal.h"

namespace muster::lifecycle {

// An unfinished job in memory.
struct Live {
  Job job;
  std::set<JobId> waits_for;  // unfinished jobs named in `after`
  bool updating = false;      // new values are being journaled; it does not start
  bool queued = false;        // in the queue: durable, waiting for devices only
  bool finishing = false;     // the end of the attempt or of the job is being made durable
  bool requeuing = false;     // another attempt follows
  // Requests during requeuing, executed when the job waits again.
  std::vector<std::function<void()>> asked_meanwhile;
  bool resumed = false;           // started by an earlier server
  bool flush_due = false;         // lines from the record must be journaled
  std::vector<store::Op> unsaid;  // pending state changes
  std::string stop_asked_by;      // a user; may be empty
  std::optional<Job> ended;       // the final state that is being made durable
};

}  // namespace muster::lifecycle
