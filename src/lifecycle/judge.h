#pragma once

#include "model/job.h"

namespace muster::lifecycle {

// How an attempt ended as a whole, from the state of its nodes. Pure. Precondition: every node has
// ended.
ExitReport OverallExit(const Attempt& attempt);

// The event of the state table for the end of this attempt. Pure. Precondition: `exit` is set. A
// preempted attempt is repeated without using a retry. A start failure, a time limit, and a failed
// publication are not retried. Nothing is repeated after a user's stop.
struct Outcome {
  Event event;
  bool uses_retry = false;
};
Outcome OutcomeOf(const JobSpec& spec, int used_retries, const Attempt& attempt);

}  // namespace muster::lifecycle
