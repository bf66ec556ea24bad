#include "engines/local/node_audit.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "os/process_table.h"
#include "os/sweep.h"

namespace muster::engines {
namespace {

constexpr int64_t kSweepDeadlineMs = 30'000;
constexpr int kLongestReapMs = 5000;

// A supervisor reports before it reaps its launcher: once that is gone, the report is there. The
// first process of a container may never reap, so the wait has an end.
void AwaitReaped(const AuditTarget& target) {
  for (int ms = 0; target.launcher_start_ticks != 0 && ms < kLongestReapMs; ++ms) {
    const auto process = os::ReadProcess(target.launcher_pid);
    if (!process || process->start_ticks != target.launcher_start_ticks) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Both looked for the same processes at the same time: each may have been first.
void Merge(NodeClean& clean, const os::SupervisorReport& report) {
  clean.found = std::max(clean.found, report.sweep.found);
  clean.killed = std::max(clean.killed, report.sweep.killed);
  clean.took_ms = std::max(clean.took_ms, report.sweep.took_ms);
  if (report.state == os::Supervision::kSweeping) clean.left = std::max(clean.left, 1);
  for (const std::string& name : report.sweep.names)
    if (std::ranges::find(clean.names, name) == clean.names.end()) clean.names.push_back(name);
}

}  // namespace

Audit AuditNode(const AuditTarget& target) {
  AwaitReaped(target);
  const auto swept = os::SweepNow(target.group, target.mark, kSweepDeadlineMs);
  Audit audit{{swept.found, swept.killed, swept.left, swept.took_ms, swept.names},
              os::FindSupervisor(target.group)};
  if (audit.supervisor) Merge(audit.clean, *audit.supervisor);
  return audit;
}

}  // namespace muster::engines
