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
constexpr int64_t kSweepDeadlineMs = 30'000;

Result<NodeOrder> ReadOrder(const os::Path& node_dir) {
  MUSTER_ASSIGN(const std::string text, os::ReadFile(node_dir / "order.json"));
  MUSTER_ASSIGN(const json::value document, ParseJson(text));
  return NodeOrderFromJson(document);
}

// What a launcher removes at its end; this one did not come to it.
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
  record_watch_ = parts_.files.Add(NodeDir() + "/record", [this] { ReadRecord(); });
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

void NodeWatch::Adopt() {
  // The identity of the launcher stands at the head of its record, whatever was taken in before.
  if (auto head = os::ReadAt(NodeDir() + "/record", 0, kReadAtOnce)) {
    if (auto part = DecodeRecord(*head))
      for (const auto& line : part->lines)
        if (const auto* began = std::get_if<LauncherBegan>(&line.body)) began_ = *began;
  }
  const auto alive = alive_;
  ReadRecord();
  if (*alive && !over_) TrackLauncher();
}

void NodeWatch::CouldNotStart(const std::string& why) {
  over_ = true;
  parts_.events->OnNodeLost(attempt_, node_, why, NodeClean{});
}

void NodeWatch::ReadRecord() {
  const auto alive = alive_;
  while (!over_) {
    auto bytes = os::ReadAt(NodeDir() + "/record", offset_, kReadAtOnce);
    if (!bytes || bytes->empty()) return;
    auto part = DecodeRecord(*bytes);
    if (!part) {
      LogError("job {} attempt {} node {}: record damaged at offset {}: {}", attempt_.job,
               attempt_.attempt, node_, offset_, part.error().text);
      return;  // the launcher's end decides; nothing is guessed from a damaged record
    }
    if (part->used == 0) return;
    const bool more = int64_t(bytes->size()) == kReadAtOnce;  // else a later write wakes us
    const int64_t base = offset_;
    offset_ += int64_t(part->used);
    for (const auto& line : part->lines) {
      if (const auto* began = std::get_if<LauncherBegan>(&line.body)) began_ = *began;
      if (std::holds_alternative<LauncherEnded>(line.body)) {
        over_ = true;
        last_word_ = line;
        return SayLastWord();
      }
      parts_.events->OnRecord(attempt_, node_, line, base + int64_t(line.end));
      if (!*alive) return;  // the event released this attempt
    }
    if (!more) return;
  }
}

// The end of a node is told when its launcher, too, is gone: nothing of the job is left then.
void NodeWatch::SayLastWord() {
  if (!last_word_ || timer_ != 0) return;  // said, or about to look again
  if (!tracked_.empty()) return;           // OnLauncherGone comes back here
  if (os::IsLocked(NodeDir() + "/record")) {
    timer_ = parts_.loop.After(2, [this] {
      timer_ = 0;
      SayLastWord();
    });
    return;
  }
  const RecordLine line = *std::exchange(last_word_, std::nullopt);
  parts_.events->OnRecord(attempt_, node_, line, offset_);
}

// Watches a launcher that is not our child by a descriptor of its process; its start time makes
// sure that the pid was not given to another meanwhile.
void NodeWatch::TrackLauncher() {
  if (began_) {
    os::Fd pidfd(int(::syscall(SYS_pidfd_open, began_->pid, 0)));
    const auto process = os::ReadProcess(began_->pid);
    if (pidfd && process && process->start_ticks == began_->start_ticks && process->state != 'Z') {
      return Track({.pid = began_->pid, .ended = std::move(pidfd)});
    }
  }
  DecideFate(0);
}

void NodeWatch::OnLauncherGone(os::Loop::Id watch) {
  const auto gone = std::ranges::find(tracked_, watch, &Tracked::watch);
  if (gone == tracked_.end()) return;
  parts_.loop.Unwatch(watch);
  parts_.nursery.GiveBack(std::move(gone->launcher));
  tracked_.erase(gone);
  const auto alive = alive_;
  ReadRecord();
  if (!*alive) return;
  if (last_word_) return SayLastWord();
  if (!over_ && tracked_.empty()) DecideFate(0);
}

// No last word. A locked record belongs to a living launcher (ours left because it was a second
// one, or an adopted one is only now beginning): look again soon. Unlocked twice means dead.
void NodeWatch::DecideFate(int tries) {
  const auto alive = alive_;
  ReadRecord();
  if (!*alive) return;
  if (last_word_) return SayLastWord();  // it came while this look was waited for
  if (over_) return;
  const bool locked = os::IsLocked(NodeDir() + "/record");
  if (locked && began_) {
    const auto process = os::ReadProcess(began_->pid);
    if (process && process->start_ticks == began_->start_ticks && process->state != 'Z')
      return TrackLauncher();
  }
  if (locked || tries < 2) {
    timer_ = parts_.loop.After(50, [this, tries, locked] {
      timer_ = 0;
      DecideFate(locked ? 0 : tries + 1);
    });
    return;
  }
  SweepAndReportLost(
      began_ ? fmt::format("its launcher (pid {}) died", began_->pid)
             : "its launcher ended before it began; see launcher.log in the node's folder");
}

void NodeWatch::SweepAndReportLost(const std::string& why) {
  over_ = true;
  // Its name is known without the record, which a launcher begins only after it made the group.
  const std::string cgroup =
      os::NodeGroupName(attempt_.job, attempt_.attempt, node_, attempt_.token);
  const std::string mark = os::NodeMark(attempt_.token, node_);
  parts_.pool.Run([this, alive = alive_, &loop = parts_.loop, cgroup, mark, why, dir = NodeDir()] {
    const auto swept = os::SweepNow(cgroup, mark, kSweepDeadlineMs);
    if (swept.left == 0) RemoveScratch(dir);
    loop.Post([this, alive, swept, why] {
      if (!*alive) return;
      const NodeClean clean{swept.found, swept.killed, swept.left, swept.took_ms, swept.names};
      if (clean.left > 0) {
        // Not clean means not ended: the devices stay held until the sweep succeeds.
        LogWarning("job {} attempt {} node {}: {} processes resist, trying again", attempt_.job,
                   attempt_.attempt, node_, clean.left);
        timer_ = parts_.loop.After(1000, [this, why] { SweepAndReportLost(why); });
        return;
      }
      parts_.events->OnNodeLost(attempt_, node_, why, clean);
    });
  });
}

}  // namespace muster::engines
