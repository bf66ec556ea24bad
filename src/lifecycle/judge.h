#pragma once

#include "model/job.h"

namespace muster::lifecycle {

// How an attempt ended as a whole, from what its nodes told. Pure. Every node must have ended.
ExitReport OverallExit(const Attempt& attempt);

// Which event of the table the end of this attempt is; it must have its exit. Pure. A preempted
// attempt comes back without using up a retry; what could not start or ran into its limit is not
// tried again, for it would only do the same, nor what went well and could not be published.
// Nothing comes back after a user asked for a stop.
struct Outcome {
  Event event;
  bool uses_retry = false;
};
Outcome OutcomeOf(const JobSpec& spec, int used_retries, const Attempt& attempt);

}  // namespace muster::lifecycle
