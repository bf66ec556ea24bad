#include "model/exit_report.h"

#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "model/names.h"

namespace muster {
namespace {

constexpr NameTable<ExitClass, ExitClass::kNotFetched> kClasses = {
    "succeeded", "exit_code", "signal",  "out_of_memory", "could_not_start",
    "timed_out", "lost",      "stopped", "not_published", "not_fetched"};
constexpr NameTable<StoppedBy, StoppedBy::kRoleEnd> kStoppers = {
    "nobody", "user", "rank_failure", "time_limit", "preemption", "role_end"};
static_assert(kClasses.back() != nullptr && kStoppers.back() != nullptr);

std::string StoppedText(StoppedBy by) {
  switch (by) {
    case StoppedBy::kNobody:
      return "was stopped";
    case StoppedBy::kUser:
      return "was stopped by the user";
    case StoppedBy::kRankFailure:
      return "was stopped because another rank failed";
    case StoppedBy::kTimeLimit:
      return "was stopped at its time limit";
    case StoppedBy::kPreemption:
      return "was stopped to make room for a job of higher priority";
    case StoppedBy::kRoleEnd:
      return "was stopped after the working ranks had ended";
  }
  return "was stopped";
}

// How the process itself ended after a stop: "exit code 3", "SIGKILL", or empty for code 0.
std::string LastWord(const ExitReport& report) {
  if (report.signal != 0) return fmt::format(" ({})", SignalName(report.signal));
  if (report.code != 0) return fmt::format(" (exit code {})", report.code);
  return {};
}

}  // namespace

const char* Name(ExitClass how) { return kClasses[size_t(how)]; }
const char* Name(StoppedBy by) { return kStoppers[size_t(by)]; }

const char* SignalName(int signal) {
  switch (signal) {
    case SIGHUP:
      return "SIGHUP";
    case SIGINT:
      return "SIGINT";
    case SIGQUIT:
      return "SIGQUIT";
    case SIGILL:
      return "SIGILL";
    case SIGTRAP:
      return "SIGTRAP";
    case SIGABRT:
      return "SIGABRT";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGKILL:
      return "SIGKILL";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGSEGV:
      return "SIGSEGV";
    case SIGUSR2:
      return "SIGUSR2";
    case SIGPIPE:
      return "SIGPIPE";
    case SIGALRM:
      return "SIGALRM";
    case SIGTERM:
      return "SIGTERM";
    case SIGSTKFLT:
      return "SIGSTKFLT";
    case SIGXCPU:
      return "SIGXCPU";
    case SIGXFSZ:
      return "SIGXFSZ";
    case SIGVTALRM:
      return "SIGVTALRM";
    case SIGPROF:
      return "SIGPROF";
    case SIGPOLL:
      return "SIGPOLL";
    case SIGPWR:
      return "SIGPWR";
    case SIGSYS:
      return "SIGSYS";
    default:
      return "SIG?";
  }
}

bool MayBeFallout(int signal) {
  return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGABRT ||
         signal == SIGPIPE;
}

std::string Describe(const ExitReport& report) {
  switch (report.how) {
    case ExitClass::kSucceeded:
      return "succeeded";
    case ExitClass::kExitCode:
      return fmt::format("exited with code {}", report.code);
    case ExitClass::kSignal:
      return fmt::format("was killed by {}{}", SignalName(report.signal),
                         report.core_dumped ? " (core dumped)" : "");
    case ExitClass::kOutOfMemory:
      return "ran out of memory and was killed by the kernel" + LastWord(report);
    case ExitClass::kCouldNotStart:
      return "could not start" + (report.detail.empty() ? "" : ": " + report.detail);
    case ExitClass::kTimedOut:
      return "ran into its time limit" + LastWord(report);
    case ExitClass::kLost:
      return "was lost" + (report.detail.empty() ? "" : ": " + report.detail);
    case ExitClass::kStopped:
      return StoppedText(report.stopped_by) + LastWord(report) +
             (report.killed_below == 0 ? ""
                                       : fmt::format("; {} had killed a process of it",
                                                     SignalName(report.killed_below)));
    case ExitClass::kNotPublished:
      return "could not publish its outputs" + (report.detail.empty() ? "" : ": " + report.detail);
    case ExitClass::kNotFetched:
      return "could not fetch what it needs" + (report.detail.empty() ? "" : ": " + report.detail);
  }
  return "ended";
}

int ShellExitCode(const ExitReport& report) {
  switch (report.how) {
    case ExitClass::kSucceeded:
      return 0;
    case ExitClass::kExitCode:
      return report.code;
    case ExitClass::kSignal:
    case ExitClass::kOutOfMemory:
      return 128 + (report.signal == 0 ? SIGKILL : report.signal);
    case ExitClass::kCouldNotStart:
    case ExitClass::kNotFetched:
      return report.code == 0 ? 127 : report.code;
    case ExitClass::kTimedOut:
      return 124;
    case ExitClass::kLost:
      return 125;
    case ExitClass::kStopped:
      return report.stopped_by == StoppedBy::kUser ? 130 : 143;
    case ExitClass::kNotPublished:
      return 123;
  }
  return 125;
}

ExitReport FromWaitStatus(int wait_status) {
  ExitReport report;
  if (WIFSIGNALED(wait_status)) {
    report.how = ExitClass::kSignal;
    report.signal = WTERMSIG(wait_status);
    report.core_dumped = WCOREDUMP(wait_status);
  } else {
    report.code = WEXITSTATUS(wait_status);
    report.how = report.code == 0 ? ExitClass::kSucceeded : ExitClass::kExitCode;
  }
  return report;
}

json::object ToJsonObject(const ExitReport& report) {
  json::object object{{"class", Name(report.how)}};
  if (report.code != 0 || report.how == ExitClass::kSucceeded) object["code"] = report.code;
  if (report.signal != 0) {
    object["signal"] = report.signal;
    object["signal_name"] = SignalName(report.signal);
  }
  if (report.core_dumped) object["core_dumped"] = true;
  if (report.stopped_by != StoppedBy::kNobody) object["stopped_by"] = Name(report.stopped_by);
  if (report.killed_below != 0) object["killed_below"] = report.killed_below;
  if (!report.detail.empty()) object["detail"] = report.detail;
  if (report.cpu_ms != 0) object["cpu_ms"] = report.cpu_ms;
  if (report.peak_rss != 0) object["peak_rss"] = report.peak_rss;
  return object;
}

ExitReport ExitReportFromJson(const json::object& object) {
  ExitReport report;
  report.how = FromName<ExitClass>(kClasses, GetString(object, "class")).value_or(ExitClass::kLost);
  report.code = int(GetInt(object, "code"));
  report.signal = int(GetInt(object, "signal"));
  report.core_dumped = GetBool(object, "core_dumped");
  report.stopped_by =
      FromName<StoppedBy>(kStoppers, GetString(object, "stopped_by")).value_or(StoppedBy::kNobody);
  report.killed_below = int(GetInt(object, "killed_below"));
  report.detail = GetString(object, "detail");
  report.cpu_ms = GetInt(object, "cpu_ms");
  report.peak_rss = GetInt(object, "peak_rss");
  return report;
}

StoppedBy StoppedByFromName(std::string_view name) {
  return FromName<StoppedBy>(kStoppers, name).value_or(StoppedBy::kNobody);
}

}  // namespace muster
