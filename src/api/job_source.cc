#include "api/job_source.h"

#include <algorithm>

namespace muster::api {

const Attempt* FindAttempt(const Job& job, int number) {
  const auto found = std::ranges::find(job.attempts, number, &Attempt::number);
  return found == job.attempts.end() ? nullptr : &*found;
}

bool IsOver(const Job& job, const Attempt& attempt) {
  return IsTerminal(job.state) || attempt.ended_ms != 0 || job.current()->number > attempt.number;
}

}  // namespace muster::api
