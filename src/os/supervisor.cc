#include "os/supervisor.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"
#include "os/file.h"
#include "os/process_table.h"

namespace muster::os {
namespace {

constexpr const char* kVerb = "supervise";
constexpr std::array<const char*, 3> kStates = {"sweeping", "proven", "ended"};
constexpr size_t kWords = 8;  // of a report
constexpr size_t kMaxCommandLine = 8 << 10;

// The command line's words; empty for a process that has gone.
std::vector<std::string> WordsOf(pid_t pid) {
  const auto content = ReadFile(fmt::format("/proc/{}/cmdline", pid), kMaxCommandLine);
  if (!content) return {};
  std::vector<std::string> words = Split(*content, '\0');
  // The rest of the memory that held the original arguments is zero.
  while (!words.empty() && words.back().empty()) words.pop_back();
  return words;
}

// Calls `is_it` with the words of each process until it says yes.
template <typename IsIt>
void FindByWords(const IsIt& is_it) {
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end;
       it.increment(error)) {
    const auto pid = ParseInt(it->path().filename().string());
    if (pid && is_it(pid_t(*pid), WordsOf(pid_t(*pid)))) return;
  }
}

int NumberOf(const std::string& word) { return int(ParseInt(word).value_or(0)); }

}  // namespace

std::vector<std::string> SupervisorWords(const std::string& group, Supervision state,
                                         const SweepResult& sweep) {
  return {kVerb,
          group,
          kStates[size_t(state)],
          std::to_string(sweep.found),
          std::to_string(sweep.killed),
          std::to_string(sweep.took_ms),
          "names=" + Join(sweep.names, ",")};
}

std::optional<SupervisorReport> ParseSupervisorWords(const std::vector<std::string>& words,
                                                     std::string_view group) {
  if (words.size() != kWords || words[1] != kVerb || words[2] != group) return std::nullopt;
  const auto state = std::ranges::find(kStates, words[3]);
  if (state == kStates.end()) return std::nullopt;
  SupervisorReport report;
  report.state = Supervision(state - kStates.begin());
  report.sweep.found = NumberOf(words[4]);
  report.sweep.killed = NumberOf(words[5]);
  report.sweep.took_ms = NumberOf(words[6]);
  const size_t names = words[7].find('=') + 1;
  if (names < words[7].size()) report.sweep.names = Split(words[7].substr(names), ',');
  return report;
}

std::optional<SupervisorReport> FindSupervisor(std::string_view group) {
  std::optional<SupervisorReport> found;
  FindByWords([&](pid_t pid, const std::vector<std::string>& words) {
    auto report = ParseSupervisorWords(words, group);
    if (!report) return false;
    const auto process = ReadProcess(pid);
    if (!process || !IsAlive(*process)) return false;
    report->pid = pid;
    report->start_ticks = process->start_ticks;
    found = std::move(report);
    return true;
  });
  return found;
}

void ReleaseSupervisor(const SupervisorReport& report) {
  SignalExactly({.pid = report.pid, .start_ticks = report.start_ticks}, SIGTERM);
}

std::optional<ProcessInfo> FindLauncher(std::string_view node_dir) {
  std::optional<ProcessInfo> found;
  FindByWords([&](pid_t pid, const std::vector<std::string>& words) {
    if (words.size() != 4 || words[1] != "launch" || words[2] != "--order" || words[3] != node_dir)
      return false;
    auto process = ReadProcess(pid);
    if (!process || !IsAlive(*process)) return false;
    found = std::move(*process);
    return true;
  });
  return found;
}

std::string BootIdentity() {
  const auto boot = ReadFile("/proc/sys/kernel/random/boot_id", 128);
  if (!boot) return {};
  // A container that is started again runs under the same kernel, but with another first process.
  const auto first = ReadProcess(1);
  return fmt::format("{}.{}", Trim(*boot), first ? first->start_ticks : 0);
}

}  // namespace muster::os
