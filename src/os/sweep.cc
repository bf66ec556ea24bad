#include "os/sweep.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/log.h"
#include "os/fd.h"

namespace muster::os {
namespace {

constexpr size_t kMaxNames = 16;
constexpr int64_t kLongestPauseMs = 200;
constexpr int kMostPasses = 64;  // limit of passes over the children in one step

bool HasChildren() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 || errno != ECHILD;
}

std::pair<pid_t, uint64_t> Identity(const ProcessInfo& process) {
  return {process.pid, process.start_ticks};
}

}  // namespace

std::string NodeGroupName(int64_t job, int attempt, int node, std::string_view token) {
  return fmt::format("job{}-a{}-n{}-{}", job, attempt, node, token.substr(0, 8));
}

std::string NodeMark(std::string_view token, int node) {
  return fmt::format("MUSTER_NODE_MARK={}.{}", token, node);
}

bool SignalExactly(const ProcessInfo& process, int signal) {
  const Fd pidfd(int(syscall(SYS_pidfd_open, process.pid, 0)));
  if (!pidfd) return false;
  // The descriptor refers to the process that has the pid now; this comparison shows that it is the
  // examined one.
  const auto now = ReadProcess(process.pid);
  if (!now || now->start_ticks != process.start_ticks) return false;
  return syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0) == 0;
}

Sweeper::Sweeper(SweepTarget target) : target_(std::move(target)) {
  group_ = std::move(target_.group);
  if (group_ || target_.cgroup.empty()) return;
  if (auto group = Cgroup::Find(target_.cgroup)) group_ = std::move(*group);
}

bool Sweeper::MarksNeeded() const {
  if (target_.mark.empty()) return false;
  return !group_ || !target_.descendants || !signalled_.empty();
}

std::vector<ProcessInfo> Sweeper::Look() {
  std::vector<ProcessInfo> living;
  const auto listed = group_ ? group_->Listed() : std::set<pid_t>();
  for (const pid_t pid : listed)
    if (auto process = ReadProcess(pid); process && IsAlive(*process))
      living.push_back(std::move(*process));
  const bool children = target_.descendants && HasChildren();
  silent_ = listed.empty() && !children;
  if (children) std::ranges::move(Descendants(getpid()), std::back_inserter(living));
  if (MarksNeeded()) std::ranges::move(ProcessesMarked(target_.mark), std::back_inserter(living));
  std::ranges::sort(living, {}, Identity);
  const auto doubles = std::ranges::unique(living, {}, Identity);
  living.erase(doubles.begin(), doubles.end());
  Count(living);
  return living;
}

void Sweeper::Count(const std::vector<ProcessInfo>& living) {
  const int64_t now = SystemClock().SteadyMs();
  if (began_ms_ < 0) began_ms_ = now;
  result_.took_ms = now - began_ms_;
  result_.left = int(living.size());
  for (const auto& process : living) Note(process);
}

void Sweeper::Note(const ProcessInfo& process) {
  if (!seen_.insert(Identity(process)).second) return;
  ++result_.found;
  const bool known = std::ranges::find(result_.names, process.comm) != result_.names.end();
  if (!known && result_.names.size() < kMaxNames) result_.names.push_back(process.comm);
}

bool Sweeper::Stirs() const {
  if (silent_) return false;
  return (group_ && group_->Stirs()) || (target_.descendants && HasChildren());
}

// Kills every child of the caller, including adopted orphans; true if any child was not killed
// before. Fast, because a program that replaces itself by a new process every few milliseconds
// escapes a scan of /proc. The pids are valid: the caller has not reaped these children.
bool Sweeper::KillChildren() {
  bool fresh = false;
  for (const pid_t child : Children()) {
    const auto process = ReadProcess(child);
    if (!process || !IsAlive(*process) || kill(child, SIGKILL) != 0) continue;
    if (!signalled_.insert(Identity(*process)).second) continue;
    ++result_.killed;
    Note(*process);
    fresh = true;
  }
  return fresh;
}

bool Sweeper::Step() {
  for (int pass = 0; target_.descendants && pass < kMostPasses && KillChildren(); ++pass) {
  }
  const auto living = Look();
  if (living.empty() && !Stirs()) return true;
  for (const auto& process : living)
    if (SignalExactly(process, SIGKILL) && signalled_.insert(Identity(process)).second)
      ++result_.killed;
  // cgroup.kill also reaches processes that were forked since the look.
  if (group_) group_->KillAll();
  return false;
}

Status Sweeper::RemoveGroup() const { return group_ ? group_->Remove() : Status(); }

SweepResult SweepNow(const std::string& cgroup, const std::string& mark, int64_t limit_ms) {
  Sweeper sweeper({cgroup, mark, false});
  const SystemClock clock;
  const int64_t deadline = clock.SteadyMs() + limit_ms;
  int64_t pause_ms = 1;
  while (!sweeper.Step() && clock.SteadyMs() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
    pause_ms = std::min(pause_ms * 2, kLongestPauseMs);
  }
  if (sweeper.result().left == 0) {
    if (const auto status = sweeper.RemoveGroup(); !status)
      LogWarning("the control group stays behind: {}", status.error().text);
  }
  return sweeper.result();
}

}  // namespace muster::os
