// The stop path of a node: executes the actions of the table in stopper.h.

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "launcher/behind_mpirun.h"
#include "launcher/node.h"
#include "launcher/task_log.h"
#include "launcher/view.h"

namespace muster::launcher {
namespace {

constexpr int64_t kLongestLookPauseMs = 100;
constexpr int64_t kLongestSweepPauseMs = 1000;
// A process that survives SIGKILL for this long hangs in the kernel and is reported.
constexpr int64_t kStubbornMs = 5000;
constexpr int64_t kFailureHookMs = 60'000;

NodeClean ProofOf(const os::SweepResult& result) {
  return {result.found, result.killed, result.left, result.took_ms, result.names};
}

}  // namespace

// Ranks that ended before this call keep their own reports.
void Node::Ask(Wish wish) {
  signals_.Reap();
  Stop(std::move(wish));
}

void Node::Stop(Wish wish) {
  told_grace_ms_ = wish.grace_ms;
  const StoppedBy by = wish.by;
  if (Undisturbed()) {
    record_.Append(StopBegan{wish.by, wish.detail});
    if (by == StoppedBy::kRankFailure && ranks_.living() > 0) ranks_.NoteKilled(os::AllProcesses());
    grace_ms_ = GraceOf(wish.by, order_.grace_ms, wish.grace_ms);
    wish_ = std::move(wish);
    agents_.RefuseMore();
    stage_step_.Cancel();
    (void)shipper_.End();
    limit_.Cancel();
    gang_watch_.Cancel();
  } else if (state_ == StopState::kClean && CutsFailureHook(by)) {
    hooks_.Signal(SIGKILL);
  }
  On(StopEvent::kStop);
}

// Actions cause events; they are processed in order, never recursively.
void Node::On(StopEvent event) {
  events_.push_back(event);
  if (std::exchange(deciding_, true)) return;
  while (!events_.empty()) {
    const StopStep step = NextStop(state_, events_.front());
    events_.pop_front();
    state_ = step.next;
    Do(step.action);
  }
  deciding_ = false;
}

void Node::Do(StopAction action) {
  switch (action) {
    case StopAction::kNone:
      return;
    case StopAction::kRunHook:
      return RunStopHook();
    case StopAction::kAsk:
      return SendAsk();
    case StopAction::kCutHook:
      hooks_.Signal(SIGKILL);
      return SendAsk();
    case StopAction::kFarewell:
      ArmDeadline(kFarewellMs);
      return LookAround();
    case StopAction::kHasten:
      return Hasten();
    case StopAction::kLook:
      return LookAround();
    case StopAction::kSweep:
      return Sweep();
    case StopAction::kProve:
      return Prove();
  }
}

void Node::RunStopHook() {
  const std::string& text = order_.hooks.on_stop;
  if (text.empty() || !RunsStopHook(wish_.by) || ranks_.living() == 0)
    return On(StopEvent::kHookEnded);
  if (const auto status = hooks_.Start("on_stop", text); !status) {
    LogWarning("on_stop is left out: {}", status.error().text);
    return On(StopEvent::kHookEnded);
  }
  ArmDeadline(grace_ms_);
}

void Node::SendAsk() {
  ArmDeadline(grace_ms_);
  if (AskBehindMpirun()) return;
  // A stopped process must be continued to handle TERM.
  for (const int signal : {SIGTERM, SIGCONT}) {
    ranks_.Signal(signal);
    hooks_.Signal(signal);
    agents_.Signal(signal);
  }
  asked_groups_ = ranks_.Groups();
  asked_groups_.merge(agents_.Groups());
  if (hooks_.running()) asked_groups_.insert(hooks_.pid());
  if (Idle()) On(StopEvent::kAllEnded);
}

// Returns false if there are no such ranks or no time. mpirun exits by itself after its ranks.
bool Node::AskBehindMpirun() {
  if (!order_.agent || wish_.by == StoppedBy::kRankFailure) return false;
  std::set<pid_t> groups = ranks_.Groups();
  groups.merge(agents_.Groups());
  const auto self = os::ReadProcess(::getpid());
  const auto behind = BehindMpirun(os::AllProcesses(), groups, self ? self->comm : "");
  for (const auto& process : behind) AskStraggler(process);
  return !behind.empty();
}

void Node::Hasten() {
  if (told_grace_ms_ < 0) return;
  grace_ms_ = std::min(grace_ms_, told_grace_ms_);
  const int64_t left = deadline_at_ms_ - loop_.clock().SteadyMs();
  if (told_grace_ms_ < left) ArmDeadline(told_grace_ms_);
}

// All ranks have ended, but their children may still be shutting down.
void Node::LookAround() {
  signals_.Reap();
  const auto living = sweeper().Look();
  signals_.Reap();  // processes that ended just now still need their report or answer
  if (!Idle()) return;
  if (living.empty() && !sweeper().Stirs()) return On(StopEvent::kNothingLeft);
  for (const auto& process : living) AskStraggler(process);
  ArmLook(kLongestLookPauseMs);
}

// Sends TERM to processes outside the process groups that received it. Once only, because many
// programs treat a second TERM as a request to exit immediately.
void Node::AskStraggler(const os::ProcessInfo& process) {
  if (asked_groups_.contains(process.pgid)) return;
  if (!asked_stragglers_.insert({process.pid, process.start_ticks}).second) return;
  os::SignalExactly(process, SIGTERM);
  os::SignalExactly(process, SIGCONT);
}

void Node::Sweep() {
  signals_.Reap();
  const bool nothing = sweeper().Step();
  signals_.Reap();
  if (nothing && Idle()) return On(StopEvent::kNothingLeft);
  NoteStubborn();
  ArmLook(kLongestSweepPauseMs);
}

// The node is not clean and its end is not reported; the record says why it takes so long.
void Node::NoteStubborn() {
  const auto& result = sweeper().result();
  if (stubborn_noted_ || result.left == 0 || result.took_ms < grace_ms_ + kStubbornMs) return;
  stubborn_noted_ = true;
  LogWarning("{} processes outlive SIGKILL ({}); trying on", result.left, Join(result.names, ", "));
  record_.Append(ProofOf(result));
}

void Node::Prove() {
  loop_.Cancel(std::exchange(deadline_, 0));
  loop_.Cancel(std::exchange(look_, 0));
  limit_.Cancel();
  follower_.Finish();
  record_.Append(ProofOf(sweeper().result()));
  const bool bad =
      failed_ || wish_.by == StoppedBy::kRankFailure || wish_.by == StoppedBy::kTimeLimit;
  if (!bad || order_.hooks.on_failure.empty()) return End();
  RenewGroup();
  if (const auto status = hooks_.Start("on_failure", order_.hooks.on_failure); !status) {
    LogWarning("on_failure is left out: {}", status.error().text);
    return End();
  }
  sweeper_.reset();
  look_pause_ms_ = 1;
  deadline_ = loop_.After(std::max(kFailureHookMs, grace_ms_), [this] { hooks_.Signal(SIGKILL); });
}

// On some kernels a group whose members were killed accepts no new members.
void Node::RenewGroup() {
  if (!ground_.group) return;
  Status status = sweeper().RemoveGroup();
  if (status) {
    if (auto group = os::Cgroup::Create(ground_.group->name(), order_.memory); !group)
      status = std::unexpected(group.error());
  }
  if (!status) LogWarning("the control group cannot be used again: {}", status.error().text);
}

// Cleans up after on_failure; recorded only if processes were found.
void Node::SweepAgain() {
  signals_.Reap();
  if (!sweeper().Step()) {
    look_ = loop_.After(look_pause_ms_, [this] { SweepAgain(); });
    look_pause_ms_ = std::min(look_pause_ms_ * 2, kLongestSweepPauseMs);
    return;
  }
  if (sweeper().result().found > 0) record_.Append(ProofOf(sweeper().result()));
  End();
}

void Node::End() {
  loop_.Cancel(std::exchange(deadline_, 0));
  if (const auto status = sweeper().RemoveGroup(); !status)
    LogWarning("the control group stays behind: {}", status.error().text);
  CloseTaskLog(order_, return_code_);
  RemoveScratch(order_);
  record_.Append(LauncherEnded{failed_ || wish_.by == StoppedBy::kTimeLimit});
  record_.WhenSettled(done_);
}

void Node::ArmDeadline(int64_t ms) {
  loop_.Cancel(deadline_);
  deadline_at_ms_ = loop_.clock().SteadyMs() + ms;
  deadline_ = loop_.After(ms, [this] { On(StopEvent::kDeadline); });
}

void Node::ArmLook(int64_t longest_ms) {
  loop_.Cancel(look_);
  look_ = loop_.After(look_pause_ms_, [this] { On(StopEvent::kLookDue); });
  look_pause_ms_ = std::min(look_pause_ms_ * 2, longest_ms);
}

os::Sweeper& Node::sweeper() {
  if (!sweeper_) {
    os::SweepTarget target{ground_.group ? ground_.group->name() : "",
                           os::NodeMark(order_.token, order_.node), true};
    // The group is used as created, unless it has joined further hierarchies.
    if (joining_ != 0) target.group = ground_.group->WithoutLate();
    loop_.Cancel(std::exchange(joining_, 0));
    sweeper_.emplace(std::move(target));
  }
  return *sweeper_;
}

}  // namespace muster::launcher
