#include "verdict/blame.h"

#include <algorithm>
#include <csignal>

#include "verdict/evidence.h"

namespace muster::verdict {

namespace {

// C++ libraries end with SIGABRT after an uncaught error, for example a lost peer.
bool MayBeConsequence(const ExitReport& exit) {
  return exit.how == ExitClass::kExitCode ||
         (exit.how == ExitClass::kSignal && (exit.signal == SIGABRT || exit.signal == SIGPIPE));
}

bool DiedByItself(const ExitReport& exit) {
  return exit.how == ExitClass::kOutOfMemory ||
         (exit.how == ExitClass::kSignal && !MayBeConsequence(exit));
}

const RankInfo* FindRank(const Attempt& attempt, int rank) {
  const auto info = std::ranges::find(attempt.ranks, rank, &RankInfo::rank);
  return info == attempt.ranks.end() ? nullptr : &*info;
}

bool DiedByItself(const Attempt& attempt, int rank) {
  const RankInfo* info = FindRank(attempt, rank);
  return info != nullptr && info->exit && DiedByItself(*info->exit);
}

bool IsMissingPeer(CauseClass cause) {
  return cause == CauseClass::kConnectionLost || cause == CauseClass::kCollectiveTimeout;
}

}  // namespace

bool NeedsOtherLogs(const ExitReport& exit, const std::vector<std::string>& last_lines) {
  const CauseClass shown = FindEvidence(last_lines).cause;
  return MayBeConsequence(exit) && (IsMissingPeer(shown) || shown == CauseClass::kUnknown);
}

const RankLines* FindBlamed(const Attempt& attempt, const std::vector<std::string>& last_lines,
                            std::span<const RankLines> others) {
  if (!attempt.cause || !NeedsOtherLogs(attempt.cause->exit, last_lines)) return nullptr;
  const int first = attempt.cause->rank;
  const bool missing_peer = IsMissingPeer(FindEvidence(last_lines).cause);
  for (const RankLines& other : others) {
    if (missing_peer && other.rank != first && DiedByItself(attempt, other.rank)) return &other;
  }
  for (const RankLines& other : others) {
    if (FindRank(attempt, other.rank) == nullptr || (other.rank != first && !missing_peer))
      continue;
    if (EndsInTraceback(other.lines)) return &other;
  }
  return nullptr;
}

const RankInfo* FindEarlyLeaver(const Attempt& attempt, CauseClass cause) {
  if (!IsMissingPeer(cause) || !attempt.cause) return nullptr;
  const RankInfo* first = FindRank(attempt, attempt.cause->rank);
  if (first == nullptr) return nullptr;
  const RankInfo* leaver = nullptr;
  for (const RankInfo& info : attempt.ranks) {
    const bool left = info.exit && info.exit->how == ExitClass::kSucceeded &&
                      info.role == first->role && info.ended_ms <= first->ended_ms;
    if (left && (leaver == nullptr || info.ended_ms < leaver->ended_ms)) leaver = &info;
  }
  return leaver;
}

}  // namespace muster::verdict
