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
#include "verdict/killed_child.h"
#include "verdict/shorten.h"

namespace muster::verdict {

namespace {

constexpr NameTable<CauseClass, CauseClass::kSeparateWorlds> kNames = {
    "none",          "unknown",         "missing_module",
    "missing_file",  "arguments",       "syntax",
    "assertion",     "python_error",    "device_memory",
    "host_memory",   "shared_memory",   "no_device",
    "device_build",  "device_assert",   "device_fault",
    "disk_full",     "permission",      "address_in_use",
    "no_network",    "connection_lost", "collective_timeout",
    "left_early",    "thread_left",     "crash",
    "killed",        "could_not_start", "timed_out",
    "lost",          "stopped",         "preempted",
    "not_published", "not_fetched",     "separate_worlds"};
static_assert(kNames.back() != nullptr);

// Length of the log line in a headline; lists show the headline in one line.
constexpr size_t kHeadlineLine = 160;

// The end of the attempt as a whole: a stop from outside, else its first failure.
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

// How the rank ended, preceded by the log line that shows the cause: "ValueError: bad shape (exited
// with code 1)". A log line explains only an exit code or an abort.
std::string EndWithLine(const ExitReport& end, const Evidence& evidence) {
  const bool explained =
      end.how == ExitClass::kExitCode || (end.how == ExitClass::kSignal && end.signal == SIGABRT);
  if (!explained || evidence.cause == CauseClass::kUnknown) return Describe(end);
  const std::string_view line = Trim(WithoutPrefix(Trim(evidence.lines.back())));
  return fmt::format("{} ({})", ShortenLine(line, kHeadlineLine), Describe(end));
}

std::string RankHeadline(const Attempt& attempt, const Cause& cause, const Evidence& evidence) {
  const std::string role = RoleOf(attempt, cause.rank);
  return fmt::format("rank {}{} on {} {}: {}", cause.rank,
                     role.empty() ? "" : fmt::format(" ({})", role), cause.node_name,
                     attempt.ranks.size() > 1 ? "failed first" : "failed",
                     EndWithLine(cause.exit, evidence));
}

std::string LostHeadline(const Attempt& attempt, const ExitReport& end) {
  for (const NodeStatus& node : attempt.nodes) {
    if (node.lost) return fmt::format("{} {}", node.name, Describe(end));
  }
  return "the job " + Describe(end);
}

// Ranks that fail while a stop from outside is in progress are not the cause.
bool StoppedFromOutside(const ExitReport& end) {
  return end.how == ExitClass::kTimedOut ||
         (end.how == ExitClass::kStopped && end.stopped_by != StoppedBy::kRankFailure);
}

std::string Headline(const Job& job, const Attempt& attempt, const ExitReport& end,
                     const Evidence& evidence) {
  if (end.how == ExitClass::kTimedOut && job.spec.time_limit_ms) {
    return fmt::format("the job reached its time limit of {}",
                       HumanDuration(*job.spec.time_limit_ms));
  }
  if (StoppedFromOutside(end)) return "the job " + Describe(end);
  if (attempt.cause && attempt.cause->rank >= 0)
    return RankHeadline(attempt, *attempt.cause, evidence);
  if (attempt.cause && !attempt.cause->what.empty()) return attempt.cause->what;
  if (end.how == ExitClass::kLost) return LostHeadline(attempt, end);
  return "the job " + Describe(end);
}

CauseClass ClassOfSignal(int signal, CauseClass shown) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGABRT:
    case SIGSYS:
    case SIGTRAP:
      // Libraries abort after an uncaught error, which the log shows.
      return shown == CauseClass::kUnknown ? CauseClass::kCrash : shown;
    default:
      return CauseClass::kKilled;
  }
}

// A shell or launcher reports a signal of its child as 128 + number.
CauseClass ClassOfCode(int code, CauseClass shown) {
  if (shown != CauseClass::kUnknown) return shown;
  if (code == 127) return CauseClass::kMissingFile;
  if (code == 126) return CauseClass::kPermission;
  if (code > 128 && code < 128 + NSIG) return ClassOfSignal(code - 128, shown);
  return CauseClass::kUnknown;
}

CauseClass ClassOf(const ExitReport& end, CauseClass shown) {
  switch (end.how) {
    case ExitClass::kSucceeded:
      return CauseClass::kNone;
    case ExitClass::kExitCode:
      return ClassOfCode(end.code, shown);
    case ExitClass::kSignal:
      return ClassOfSignal(end.signal, shown);
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

// The verdict if another rank than the one that ended first is the cause.
Verdict JudgeBlamed(const Attempt& attempt, const RankLines& log) {
  const RankInfo& blamed = *std::ranges::find(attempt.ranks, log.rank, &RankInfo::rank);
  Evidence evidence = FindEvidence(log.lines);
  const ExitReport end = blamed.exit.value_or(ExitReport{});
  const bool ended_by_muster = end.how == ExitClass::kStopped || end.how == ExitClass::kLost;
  const std::string how = ended_by_muster
                              ? std::string(Trim(WithoutPrefix(Trim(evidence.lines.back()))))
                              : EndWithLine(end, evidence);
  Verdict verdict;
  verdict.rank = blamed.rank;
  verdict.cause = ended_by_muster ? evidence.cause : ClassOf(end, evidence.cause);
  verdict.headline = Printable(fmt::format(
      "{} failed: {}; rank {} on {} lost this peer and {}", NameOf(attempt, blamed), how,
      attempt.cause->rank, attempt.cause->node_name, Describe(attempt.cause->exit)));
  verdict.evidence = std::move(evidence.lines);
  return verdict;
}

// The verdict if a process below a framework's launcher was killed.
Verdict JudgeKilledChild(const Attempt& attempt, const KilledChild& child,
                         const std::vector<std::string>& last_lines) {
  const auto info = std::ranges::find(attempt.ranks, child.rank, &RankInfo::rank);
  const std::string name =
      info == attempt.ranks.end() ? fmt::format("rank {}", child.rank) : NameOf(attempt, *info);
  Verdict verdict;
  verdict.rank = child.rank;
  verdict.cause = ClassOfSignal(child.signal, CauseClass::kUnknown);
  verdict.evidence = child.line.empty() ? FindEvidence(last_lines).lines : std::vector{child.line};
  verdict.headline = Printable(fmt::format("{} failed: {} of its launcher was killed by {}", name,
                                           child.who, SignalName(child.signal)));
  return verdict;
}

// A killed process below a launcher, unless the log of the first rank shows a cause itself.
std::optional<KilledChild> KilledChildOf(const Attempt& attempt,
                                         const std::vector<std::string>& last_lines,
                                         std::span<const RankLines> others) {
  if (!attempt.cause || attempt.cause->rank < 0) return std::nullopt;
  if (!NeedsOtherLogs(attempt.cause->exit, last_lines)) return std::nullopt;
  auto reported = FindKilledChild(attempt.cause->rank, last_lines, others);
  return reported ? reported : FindUnreportedKill(attempt);
}

// The verdict if a rank ended with code 0 and the first failure is its missing connection.
Verdict JudgeEarlyLeaver(const Attempt& attempt, const RankInfo& leaver, Evidence evidence) {
  Verdict verdict;
  verdict.rank = leaver.rank;
  verdict.cause = CauseClass::kLeftEarly;
  verdict.headline = Printable(
      fmt::format("{} ended with code 0 before the other ranks; rank {} on {} then lost its peer: "
                  "{}",
                  NameOf(attempt, leaver), attempt.cause->rank, attempt.cause->node_name,
                  EndWithLine(attempt.cause->exit, evidence)));
  verdict.evidence = std::move(evidence.lines);
  return verdict;
}

Verdict JudgeFirst(const Job& job, const Attempt& attempt, const ExitReport& end,
                   const std::vector<std::string>& last_lines) {
  Verdict verdict;
  Evidence evidence = FindEvidence(last_lines);
  verdict.cause = ClassOf(end, evidence.cause);
  if (const RankInfo* leaver = FindEarlyLeaver(attempt, verdict.cause))
    return JudgeEarlyLeaver(attempt, *leaver, std::move(evidence));
  verdict.headline = Printable(Headline(job, attempt, end, evidence));
  if (!StoppedFromOutside(end)) {
    verdict.evidence = std::move(evidence.lines);
    verdict.rank = attempt.cause ? attempt.cause->rank : -1;
  }
  return verdict;
}

}  // namespace

std::string WhyApart(const Attempt& attempt) {
  for (const NodeStatus& node : attempt.nodes)
    if (!node.apart.empty()) return Printable(node.apart);
  return {};
}

const char* Name(CauseClass cause) { return kNames[size_t(cause)]; }

Verdict Judge(const Job& job, const Attempt& attempt, const std::vector<std::string>& last_lines,
              std::span<const RankLines> others) {
  const ExitReport end = EndOf(attempt);
  Verdict verdict;
  const std::string apart = WhyApart(attempt);
  if (end.how == ExitClass::kSucceeded) {
    verdict.headline = "the job succeeded";
    if (apart.empty()) return verdict;
    verdict.headline += ", but its ranks did not form one world";
    verdict.cause = CauseClass::kSeparateWorlds;
    verdict.evidence = {apart};
    return verdict;
  }
  if (const auto child =
          StoppedFromOutside(end) ? std::nullopt : KilledChildOf(attempt, last_lines, others)) {
    verdict = JudgeKilledChild(attempt, *child, last_lines);
  } else {
    const RankLines* blamed =
        StoppedFromOutside(end) ? nullptr : FindBlamed(attempt, last_lines, others);
    const bool another = blamed != nullptr && blamed->rank != attempt.cause->rank;
    verdict = another
                  ? JudgeBlamed(attempt, *blamed)
                  : JudgeFirst(job, attempt, end, blamed != nullptr ? blamed->lines : last_lines);
  }
  verdict.retry_makes_sense = RetryMakesSense(verdict.cause);
  const std::string line = verdict.evidence.empty() ? "" : verdict.evidence.back();
  verdict.advice = AdviceFor(verdict.cause, line, job.spec);
  if (!apart.empty()) verdict.advice += (verdict.advice.empty() ? "" : " Note: ") + apart;
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
