#include "lifecycle/judge.h"

namespace muster::lifecycle {

ExitReport OverallExit(const Attempt& attempt) {
  switch (attempt.stopped_by) {
    case StoppedBy::kUser:
    case StoppedBy::kPreemption:
      return {.how = ExitClass::kStopped, .stopped_by = attempt.stopped_by};
    case StoppedBy::kTimeLimit:
      return {.how = ExitClass::kTimedOut, .stopped_by = attempt.stopped_by};
    case StoppedBy::kNobody:
    case StoppedBy::kRankFailure:
    case StoppedBy::kRoleEnd:
      break;
  }
  if (attempt.cause) return attempt.cause->exit;
  for (const RankInfo& rank : attempt.ranks) {
    if (!rank.exit) return {.how = ExitClass::kLost, .detail = "its end was never reported"};
    const bool served = rank.exit->stopped_by == StoppedBy::kRoleEnd;
    if (rank.exit->how != ExitClass::kSucceeded && !served) return *rank.exit;
  }
  return {.how = ExitClass::kSucceeded};
}

Outcome OutcomeOf(const JobSpec& spec, int used_retries, const Attempt& attempt) {
  const ExitReport& exit = *attempt.exit;
  if (exit.how == ExitClass::kSucceeded) return {Event::kEndedWell};
  if (exit.how == ExitClass::kStopped && exit.stopped_by == StoppedBy::kUser)
    return {Event::kEndedStopped};
  if (exit.how == ExitClass::kStopped && exit.stopped_by == StoppedBy::kPreemption)
    return {attempt.stop_asked ? Event::kEndedStopped : Event::kEndedRetry};
  const bool hopeless = exit.how == ExitClass::kCouldNotStart || exit.how == ExitClass::kTimedOut ||
                        exit.how == ExitClass::kNotPublished || exit.how == ExitClass::kNotFetched;
  if (!hopeless && !attempt.stop_asked && used_retries < spec.retries)
    return {Event::kEndedRetry, true};
  return {Event::kEndedBadly};
}

}  // namespace muster::lifecycle
