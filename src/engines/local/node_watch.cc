#include "engines/local/node_watch.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/log.h"
#include "os/file.h"
#include "os/process_table.h"
#include "os/sweep.h"

namespace muster::engines {
namespace {

constexpr int64_t kReadAtOnce = 1 << 20;
constexpr int64_t kSweepAgainMs = 1000;
constexpr int64_t kLookAgainMs = 50;
// A launcher that died before its first line may not have been reaped by its supervisor yet.
constexpr int kMostLooks = 20;
constexpr int64_t kUnprovenLookMs = 5000;

Result<NodeOrder> ReadOrder(const os::Path& node_dir) {
  MUSTER_ASSIGN(const std::string text, os::ReadFile(node_dir / "order.json"));
  MUSTER_ASSIGN(const json::value document, ParseJson(text));
  return NodeOrderFromJson(document);
}

// What a launcher that ends by itself removes.
void RemoveScratch(const os::Path& node_dir) {
  const auto order = ReadOrder(node_dir);
  if (!order || !order->view) return;
  for (const ViewMount& mount : order->view->mounts) {
    if (!mount.scratch || !mount.source.starts_with(node_dir.string() + "/")) continue;
    if (const auto status = os::RemoveTree(mount.source); !status)
      LogWarning("scratch stays behind: {}", status.error().text);
  }
}

}  // namespace

NodeWatch::NodeWatch(Parts parts, AttemptRef attempt, int node, int64_t offset)
    : parts_(parts), attempt_(std::move(attempt)), node_(node), offset_(offset) {
  record_watch_ = parts_.files.Add(RecordPath(), [this] { ReadRecord(); });
}

NodeWatch::~NodeWatch() {
  *alive_ = false;
  if (record_watch_ != 0) parts_.files.Remove(record_watch_);
  for (const Tracked& one : tracked_) parts_.loop.Unwatch(one.watch);
  if (timer_ != 0) parts_.loop.Cancel(timer_);
}

std::string NodeWatch::NodeDir() const { return fmt::format("{}/node{}", attempt_.dir, node_); }

void NodeWatch::Launched(Launcher launcher) { Track(std::move(launcher)); }

void NodeWatch::Track(Launcher launcher) {
  Tracked one{std::move(launcher), 0};
  auto watch = std::make_shared<os::Loop::Id>(0);
  one.watch = parts_.loop.WatchReadable(one.launcher.ended.get(),
                                        [this, watch] { OnLauncherGone(*watch); });
  *watch = one.watch;
  tracked_.push_back(std::move(one));
}

void NodeWatch::Wake() const {
  for (const Tracked& one : tracked_) {
    const os::Fd pidfd(int(::syscall(SYS_pidfd_open, one.launcher.pid, 0)));
    // As long as it is not done, the number is its own.
    pollfd ended{one.launcher.ended.get(), POLLIN, 0};
    if (pidfd && ::poll(&ended, 1, 0) == 0)
      ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGCONT, nullptr, 0);
  }
}

void NodeWatch::Adopt(const NodeStatus& known) {
  known_ = known;
  // The identity of the launcher stands at the head of its record, whatever was taken in before.
  if (auto head = os::ReadAt(RecordPath(), 0, kReadAtOnce))
    if (auto part = DecodeRecord(*head); part && !part->lines.empty())
      if (const auto* began = std::get_if<LauncherBegan>(&part->lines[0].body)) began_ = *began;
  const auto alive = alive_;
  ReadRecord();
  if (*alive && !over_ && !last_word_) TrackLauncher();
}

void NodeWatch::CouldNotStart(const std::string& why) {
  over_ = true;
  parts_.events->OnNodeLost(attempt_, node_, why, NodeClean{});
}

void NodeWatch::ReadRecord() {
  const auto alive = alive_;
  while (!over_) {
    auto bytes = os::ReadAt(RecordPath(), offset_, kReadAtOnce);
    if (!bytes || bytes->empty()) break;
    auto part = DecodeRecord(*bytes);
    if (!part) {
      LogError("job {} attempt {} node {}: record damaged at offset {}: {}", attempt_.job,
               attempt_.attempt, node_, offset_, part.error().text);
      break;  // the launcher's end decides; nothing is guessed from a damaged record
    }
    if (part->used == 0) break;
    const bool more = int64_t(bytes->size()) == kReadAtOnce;  // else a later write wakes us
    const int64_t base = offset_;
    offset_ += int64_t(part->used);
    for (const auto& line : part->lines) {
      TakeLine(line, base);
      if (!*alive) return;  // the event released this attempt
    }
    if (!more) break;
  }
  SayLastWord();
}

// launcher_ended is the last line of a record: when another one follows, a rank has written it.
void NodeWatch::TakeLine(const RecordLine& line, int64_t base) {
  if (last_word_)
    LogWarning("job {} attempt {} node {}: its record goes on behind launcher_ended", attempt_.job,
               attempt_.attempt, node_);
  last_word_.reset();
  if (std::holds_alternative<LauncherEnded>(line.body)) {
    last_word_ = line;
    return;
  }
  const auto* began = std::get_if<LauncherBegan>(&line.body);
  if (began != nullptr && !began_) began_ = *began;
  parts_.events->OnRecord(attempt_, node_, line, base + int64_t(line.end));
}

// The end of a node is reported when its launcher, too, is gone: nothing of the job is left then.
void NodeWatch::SayLastWord() {
  if (!last_word_ || timer_ != 0 || auditing_ || over_) return;
  if (!tracked_.empty()) return;  // OnLauncherGone comes back here
  if (os::IsLocked(RecordPath())) return Retry(2, &NodeWatch::SayLastWord);
  said_done_ ? DeliverLastWord() : StartAudit();
}

void NodeWatch::DeliverLastWord() {
  over_ = true;
  const RecordLine line = *std::exchange(last_word_, std::nullopt);
  parts_.events->OnRecord(attempt_, node_, line, offset_);
}

void NodeWatch::Retry(int64_t ms, void (NodeWatch::*step)()) {
  timer_ = parts_.loop.After(ms, [this, step] {
    timer_ = 0;
    (this->*step)();
  });
}

// Watches a launcher that is not our child by a descriptor of its process; its start time makes
// sure that the pid was not given to another meanwhile. Without a record it is looked for by its
// command line.
void NodeWatch::TrackLauncher() {
  pid_t pid = began_ ? began_->pid : 0;
  uint64_t start_ticks = began_ ? began_->start_ticks : 0;
  if (std::error_code ignored; !std::filesystem::exists(RecordPath(), ignored)) {
    if (const auto launcher = os::FindLauncher(NodeDir())) {
      pid = launcher->pid;
      start_ticks = launcher->start_ticks;
    }
  }
  if (pid > 0) {
    os::Fd pidfd(int(::syscall(SYS_pidfd_open, pid, 0)));
    const auto process = os::ReadProcess(pid);
    if (pidfd && process && process->start_ticks == start_ticks && process->state != 'Z')
      return Track({.pid = pid, .ended = std::move(pidfd)});
  }
  DecideFate(0);
}

void NodeWatch::OnLauncherGone(os::Loop::Id watch) {
  const auto gone = std::ranges::find(tracked_, watch, &Tracked::watch);
  if (gone == tracked_.end()) return;
  parts_.loop.Unwatch(watch);
  said_done_ |= parts_.nursery.GiveBack(std::move(gone->launcher));
  tracked_.erase(gone);
  const auto alive = alive_;
  ReadRecord();
  if (*alive && !over_ && !last_word_ && tracked_.empty()) DecideFate(0);
}

// The record has no last word. A locked record belongs to a living launcher (ours left because it
// was a second one, or an adopted one is only now beginning): look again soon. Unlocked twice means
// dead.
void NodeWatch::DecideFate(int tries) {
  const auto alive = alive_;
  ReadRecord();
  if (!*alive || over_ || last_word_) return;
  const bool locked = os::IsLocked(RecordPath());
  if (locked && began_) {
    const auto process = os::ReadProcess(began_->pid);
    if (process && process->start_ticks == began_->start_ticks && process->state != 'Z')
      return TrackLauncher();
  }
  if (!locked && tries >= 2) return StartAudit();
  timer_ = parts_.loop.After(kLookAgainMs, [this, tries, locked] {
    timer_ = 0;
    DecideFate(locked ? 0 : tries + 1);
  });
}

// The group is named by the attempt, not by the record: a launcher may have died before its first
// line, and a record can be changed.
void NodeWatch::StartAudit() {
  auditing_ = true;
  AuditTarget target{
      .group = os::NodeGroupName(attempt_.job, attempt_.attempt, node_, attempt_.token),
      .mark = os::NodeMark(attempt_.token, node_)};
  if (began_) {
    target.launcher_pid = began_->pid;
    target.launcher_start_ticks = began_->start_ticks;
  }
  parts_.pool.Run([this, alive = alive_, &loop = parts_.loop, target, dir = NodeDir()] {
    const Audit audit = AuditNode(target);
    if (audit.clean.left == 0) RemoveScratch(dir);
    loop.Post([this, alive, audit] {
      if (!*alive) return;
      auditing_ = false;
      OnAudit(audit);
    });
  });
}

void NodeWatch::OnAudit(const Audit& audit) {
  if (over_) return;  // confirmed meanwhile
  outlived_ |= audit.outlived();
  if (audit.clean.left > 0) {
    // Not clean means not ended: the devices stay held until the sweep succeeds.
    if (audits_++ == 0)
      LogWarning("job {} attempt {} node {}: {} processes resist SIGKILL; the sweep goes on",
                 attempt_.job, attempt_.attempt, node_, audit.clean.left);
    return Retry(kSweepAgainMs, &NodeWatch::StartAudit);
  }
  if (audit.supervisor) {
    os::ReleaseSupervisor(*audit.supervisor);
    said_done_ |= audit.supervisor->state == os::Supervision::kEnded;
  }
  if (last_word_ && !outlived_) return DeliverLastWord();
  if (audit.supervisor || said_done_ || MachineWasRestarted()) return ReportLost(audit.clean);
  if (NeverBegan()) {
    if (++audits_ >= kMostLooks) return ReportLost(audit.clean);
    return Retry(kLookAgainMs, &NodeWatch::StartAudit);
  }
  ReportUnproven();
}

bool NodeWatch::MachineWasRestarted() const {
  const std::string& then = known_.boot.empty() && began_ ? began_->boot : known_.boot;
  const std::string now = os::BootIdentity();
  return !then.empty() && !now.empty() && then != now;
}

std::string NodeWatch::WhyLost() const {
  if (said_done_) return "its launcher ended, but its record has no end: it was changed or damaged";
  if (last_word_)
    return "its launcher died, and the record's last lines were written by another process";
  if (began_) return fmt::format("its launcher (pid {}) died", began_->pid);
  if (known_.began) return "its launcher died, and its record has no beginning";
  return "its launcher ended before it began; see launcher.log in the node's folder";
}

// Looked at again from time to time: a supervisor that was stopped may go on and prove it.
void NodeWatch::ReportUnproven() {
  if (!std::exchange(unproven_, true)) {
    const auto alive = alive_;
    parts_.events->OnNodeUnproven(attempt_, node_, WhyLost() + ", and its supervisor too");
    if (!*alive || over_) return;
  }
  Retry(kUnprovenLookMs, &NodeWatch::StartAudit);
}

void NodeWatch::ConfirmClean() {
  if (!unproven_ || over_) return;
  if (timer_ != 0) parts_.loop.Cancel(std::exchange(timer_, 0));
  ReportLost(NodeClean{});
}

void NodeWatch::ReportLost(const NodeClean& clean) {
  over_ = true;
  parts_.events->OnNodeLost(attempt_, node_, WhyLost(), clean);
}

}  // namespace muster::engines
