#include "verdict/blame.h"

#include <algorithm>
#include <csignal>

#include "verdict/evidence.h"

namespace muster::verdict {

namespace {

// An abort is how libraries in C++ end for an error that nobody caught, a lost peer among them.
bool MayBeFallout(const ExitReport& exit) {
  return exit.how == ExitClass::kExitCode ||
         (exit.how == ExitClass::kSignal && (exit.signal == SIGABRT || exit.signal == SIGPIPE));
}

bool DiedByItself(const ExitReport& exit) {
  return exit.how == ExitClass::kOutOfMemory ||
         (exit.how == ExitClass::kSignal && !MayBeFallout(exit));
}

bool DiedByItself(const Attempt& attempt, int rank) {
  const auto info = std::ranges::find(attempt.ranks, rank, &RankInfo::rank);
  return info != attempt.ranks.end() && info->exit && DiedByItself(*info->exit);
}

bool IsKnown(const Attempt& attempt, int rank) {
  return std::ranges::find(attempt.ranks, rank, &RankInfo::rank) != attempt.ranks.end();
}

}  // namespace

bool TellsLittle(const ExitReport& exit, const std::vector<std::string>& last_lines) {
  const CauseClass told = FindEvidence(last_lines).cause;
  return MayBeFallout(exit) &&
         (told == CauseClass::kConnectionLost || told == CauseClass::kUnknown);
}

const RankLines* FindBlamed(const Attempt& attempt, const std::vector<std::string>& last_lines,
                            std::span<const RankLines> others) {
  if (!attempt.cause || !TellsLittle(attempt.cause->exit, last_lines)) return nullptr;
  const int first = attempt.cause->rank;
  const bool fallout = FindEvidence(last_lines).cause == CauseClass::kConnectionLost;
  for (const RankLines& other : others) {
    if (fallout && other.rank != first && DiedByItself(attempt, other.rank)) return &other;
  }
  for (const RankLines& other : others) {
    if (!IsKnown(attempt, other.rank) || (other.rank != first && !fallout)) continue;
    if (EndsInTraceback(other.lines)) return &other;
  }
  return nullptr;
}

}  // namespace muster::verdict
