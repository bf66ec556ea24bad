#include "verdict/verdict.h"

#include <algorithm>
#include <csignal>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "model/names.h"
#include "verdict/advice.h"
#include "verdict/blame.h"
#include "verdict/evidence.h"
#include "verdict/obituary.h"

namespace muster::verdict {

namespace {

constexpr NameTable<CauseClass, CauseClass::kNotFetched> kNames = {
    "none",        "unknown",   "missing_module", "missing_file",    "arguments",
    "syntax",      "assertion", "python_error",   "device_memory",   "host_memory",
    "no_device",   "disk_full", "permission",     "address_in_use",  "connection_lost",
    "thread_left", "crash",     "killed",         "could_not_start", "timed_out",
    "lost",        "stopped",   "preempted",      "not_published",   "not_fetched"};
static_assert(kNames.back() != nullptr);

// How the attempt ended as a whole: what stopped it from outside, else its first failure.
ExitReport EndOf(const Attempt& attempt) {
  if (attempt.exit) return *attempt.exit;
  if (attempt.cause) return attempt.cause->exit;
  return ExitReport{};
}

std::string RoleOf(const Attempt& attempt, int rank) {
  for (const RankInfo& info : attempt.ranks) {
    if (info.rank == rank) return info.role;
  }
  return {};
}

std::string RankHeadline(const Attempt& attempt, const Cause& cause) {
  const std::string role = RoleOf(attempt, cause.rank);
  return fmt::format("rank {}{} on {} {}: {}", cause.rank,
                     role.empty() ? "" : fmt::format(" ({})", role), cause.node_name,
                     attempt.ranks.size() > 1 ? "failed first" : "failed", Describe(cause.exit));
}

std::string LostHeadline(const Attempt& attempt, const ExitReport& end) {
  for (const NodeStatus& node : attempt.nodes) {
    if (node.lost) return fmt::format("{} {}", node.name, Describe(end));
  }
  return "the job " + Describe(end);
}

// A stop from outside is the headline even when ranks failed while they went down.
bool StoppedFromOutside(const ExitReport& end) {
  return end.how == ExitClass::kTimedOut ||
         (end.how == ExitClass::kStopped && end.stopped_by != StoppedBy::kRankFailure);
}

std::string Headline(const Job& job, const Attempt& attempt, const ExitReport& end) {
  if (end.how == ExitClass::kTimedOut && job.spec.time_limit_ms) {
    return fmt::format("the job ran into its time limit of {}",
                       HumanDuration(*job.spec.time_limit_ms));
  }
  if (StoppedFromOutside(end)) return "the job " + Describe(end);
  if (attempt.cause && attempt.cause->rank >= 0) return RankHeadline(attempt, *attempt.cause);
  if (attempt.cause && !attempt.cause->what.empty()) return attempt.cause->what;
  if (end.how == ExitClass::kLost) return LostHeadline(attempt, end);
  return "the job " + Describe(end);
}

CauseClass ClassOfSignal(int signal, CauseClass told) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGABRT:
    case SIGSYS:
    case SIGTRAP:
      // An abort is often the last word of a complaint that says more.
      return told == CauseClass::kUnknown ? CauseClass::kCrash : told;
    default:
      return CauseClass::kKilled;
  }
}

// A shell or launcher in between reports a signal of its child as 128 + number.
CauseClass ClassOfCode(int code, CauseClass told) {
  if (told != CauseClass::kUnknown) return told;
  if (code == 127) return CauseClass::kMissingFile;
  if (code == 126) return CauseClass::kPermission;
  if (code > 128 && code < 128 + NSIG) return ClassOfSignal(code - 128, told);
  return CauseClass::kUnknown;
}

CauseClass ClassOf(const ExitReport& end, CauseClass told) {
  switch (end.how) {
    case ExitClass::kSucceeded:
      return CauseClass::kNone;
    case ExitClass::kExitCode:
      return ClassOfCode(end.code, told);
    case ExitClass::kSignal:
      return ClassOfSignal(end.signal, told);
    case ExitClass::kOutOfMemory:
      return CauseClass::kHostMemory;
    case ExitClass::kCouldNotStart:
      return CauseClass::kCouldNotStart;
    case ExitClass::kTimedOut:
      return CauseClass::kTimedOut;
    case ExitClass::kLost:
      return CauseClass::kLost;
    case ExitClass::kStopped:
      return end.stopped_by == StoppedBy::kPreemption ? CauseClass::kPreempted
                                                      : CauseClass::kStopped;
    case ExitClass::kNotPublished:
      return CauseClass::kNotPublished;
    case ExitClass::kNotFetched:
      return CauseClass::kNotFetched;
  }
  return CauseClass::kUnknown;
}

std::string NameOf(const Attempt& attempt, const RankInfo& info) {
  const bool known = info.node >= 0 && size_t(info.node) < attempt.nodes.size();
  return fmt::format("rank {}{}{}", info.rank,
                     info.role.empty() ? "" : fmt::format(" ({})", info.role),
                     known ? " on " + attempt.nodes[size_t(info.node)].name : "");
}

// The verdict when another rank than the one that ended first is to blame.
Verdict JudgeBlamed(const Attempt& attempt, const RankLines& log) {
  const RankInfo& blamed = *std::ranges::find(attempt.ranks, log.rank, &RankInfo::rank);
  Evidence evidence = FindEvidence(log.lines);
  const ExitReport end = blamed.exit.value_or(ExitReport{});
  const bool told = end.how == ExitClass::kStopped || end.how == ExitClass::kLost;
  Verdict verdict;
  verdict.rank = blamed.rank;
  verdict.cause = told ? evidence.cause : ClassOf(end, evidence.cause);
  verdict.evidence = std::move(evidence.lines);
  verdict.headline = Printable(
      fmt::format("{} failed{}; rank {} on {}, which ended first, had lost its peer: {}",
                  NameOf(attempt, blamed), told ? "" : ": " + Describe(end), attempt.cause->rank,
                  attempt.cause->node_name, Describe(attempt.cause->exit)));
  return verdict;
}

// The verdict when a framework's launcher tells, or was about to, that one of its processes was
// killed.
Verdict JudgeDead(const Attempt& attempt, const Obituary& dead,
                  const std::vector<std::string>& last_lines) {
  const auto info = std::ranges::find(attempt.ranks, dead.rank, &RankInfo::rank);
  const std::string name =
      info == attempt.ranks.end() ? fmt::format("rank {}", dead.rank) : NameOf(attempt, *info);
  Verdict verdict;
  verdict.rank = dead.rank;
  verdict.cause = ClassOfSignal(dead.signal, CauseClass::kUnknown);
  verdict.evidence = dead.line.empty() ? FindEvidence(last_lines).lines : std::vector{dead.line};
  verdict.headline = Printable(fmt::format("{} failed: {} of its launcher was killed by {}", name,
                                           dead.who, SignalName(dead.signal)));
  return verdict;
}

// Nothing where the first rank to end tells the cause itself, or nobody tells of a death.
std::optional<Obituary> DeathBehind(const Attempt& attempt,
                                    const std::vector<std::string>& last_lines,
                                    std::span<const RankLines> others) {
  if (!attempt.cause || attempt.cause->rank < 0) return std::nullopt;
  if (!TellsLittle(attempt.cause->exit, last_lines)) return std::nullopt;
  auto told = FindObituary(attempt.cause->rank, last_lines, others);
  return told ? told : FindUnsaid(attempt);
}

Verdict JudgeFirst(const Job& job, const Attempt& attempt, const ExitReport& end,
                   const std::vector<std::string>& last_lines) {
  Verdict verdict;
  verdict.headline = Printable(Headline(job, attempt, end));
  Evidence evidence = FindEvidence(last_lines);
  verdict.cause = ClassOf(end, evidence.cause);
  if (!StoppedFromOutside(end)) {
    verdict.evidence = std::move(evidence.lines);
    verdict.rank = attempt.cause ? attempt.cause->rank : -1;
  }
  return verdict;
}

}  // namespace

const char* Name(CauseClass cause) { return kNames[size_t(cause)]; }

Verdict Judge(const Job& job, const Attempt& attempt, const std::vector<std::string>& last_lines,
              std::span<const RankLines> others) {
  const ExitReport end = EndOf(attempt);
  Verdict verdict;
  if (end.how == ExitClass::kSucceeded) {
    verdict.headline = "the job succeeded";
    return verdict;
  }
  if (const auto dead =
          StoppedFromOutside(end) ? std::nullopt : DeathBehind(attempt, last_lines, others)) {
    verdict = JudgeDead(attempt, *dead, last_lines);
  } else {
    const RankLines* blamed =
        StoppedFromOutside(end) ? nullptr : FindBlamed(attempt, last_lines, others);
    const bool another = blamed != nullptr && blamed->rank != attempt.cause->rank;
    verdict = another
                  ? JudgeBlamed(attempt, *blamed)
                  : JudgeFirst(job, attempt, end, blamed != nullptr ? blamed->lines : last_lines);
  }
  verdict.retry_makes_sense = RetryMakesSense(verdict.cause);
  verdict.advice = AdviceFor(verdict.cause, job.spec);
  return verdict;
}

json::object ToJsonObject(const Verdict& verdict) {
  json::array evidence;
  for (const std::string& line : verdict.evidence) evidence.emplace_back(line);
  return {{"headline", verdict.headline},
          {"cause", Name(verdict.cause)},
          {"rank", verdict.rank < 0 ? json::value(nullptr) : json::value(verdict.rank)},
          {"evidence", std::move(evidence)},
          {"retry_makes_sense", verdict.retry_makes_sense},
          {"advice", verdict.advice}};
}

}  // namespace muster::verdict
