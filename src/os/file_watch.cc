#include "os/file_watch.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "base/log.h"

namespace muster::os {
namespace {

constexpr int64_t kPollMs = 200;
// Interval between reads of inotify, so that a writer of many small lines causes one wake-up per
// interval rather than one per line. The first few events are delivered at once: the record of a
// short job has only a few lines, and a client waits for each.
constexpr int64_t kPauseMs = 10;
constexpr int kAtOnce = 20;
constexpr int64_t kBudgetMs = 100;
constexpr int kReadsARound = 16;
constexpr uint32_t kEvents = IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_MOVE_SELF | IN_ONLYDIR;

// File systems for which inotify misses changes by other machines or by a user-space server.
bool IsRemote(const Path& folder) {
  constexpr uint32_t kRemote[] = {
      0x6969,      // NFS
      0xFF534D42,  // CIFS
      0xFE534D42,  // SMB2
      0x65735546,  // FUSE
      0x01021997,  // 9p
      0x00C36400,  // Ceph
      0x0BD00BD0,  // Lustre
      0x47504653,  // GPFS
      0x19830326,  // BeeGFS
      0x5346414F,  // AFS
  };
  struct statfs info{};
  if (::statfs(folder.c_str(), &info) != 0) return false;
  return std::ranges::find(kRemote, uint32_t(info.f_type)) != std::end(kRemote);
}

// The attributes that polling compares.
struct Look {
  bool exists = false;
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  int64_t modified_ns = 0;
  bool operator==(const Look&) const = default;
};

Look LookAt(const Path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return {};
  return {true, info.st_dev, info.st_ino, info.st_size,
          info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec};
}

}  // namespace

struct FileWatch::Impl {
  static constexpr int kPolled = -1;

  struct Entry {
    Path path;
    std::string name;
    int folder = kPolled;                            // the inotify descriptor of the watched folder
    Look last;                                       // of polled entries
    std::shared_ptr<std::function<void()>> changed;  // shared, because it may remove its own watch
  };
  // The entries of one folder by file name.
  using Folder = std::multimap<std::string, Id, std::less<>>;

  Loop& loop;
  Fd inotify;
  Loop::Id watch = 0;  // 0 during a pause, or without inotify
  Loop::Id pause = 0;
  Loop::Id poll = 0;
  int64_t budget_began_ms = 0;
  int told_at_once = 0;  // since the pause
  Id next_id = 1;
  std::map<Id, Entry> entries;
  std::map<int, Folder> folders;
  std::set<Id> polled;

  explicit Impl(Loop& owner) : loop(owner), inotify(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    if (inotify) {
      Listen();
    } else {
      LogWarning("no inotify ({}); files are looked at every {} ms", std::strerror(errno), kPollMs);
    }
  }

  ~Impl() {
    loop.Unwatch(watch);
    loop.Cancel(pause);
    loop.Cancel(poll);
  }

  void Listen() {
    watch = loop.WatchReadable(inotify.get(), [this] { ReadEvents(); });
  }

  // The inotify watch of the folder, or kPolled if the file must be polled.
  int WatchFolder(const Path& path) {
    struct stat info{};
    const bool is_link = ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
    const Path folder = path.has_parent_path() ? path.parent_path() : Path(".");
    // Watching the folder of a symbolic link does not report writes to the target.
    if (!inotify || is_link || IsRemote(folder)) return kPolled;
    const int number = ::inotify_add_watch(inotify.get(), folder.c_str(), kEvents);
    return number < 0 ? kPolled : number;
  }

  void StartPolling(Id id, Entry& entry) {
    entry.folder = kPolled;
    entry.last = LookAt(entry.path);
    polled.insert(id);
    if (poll == 0) poll = loop.After(kPollMs, [this] { Poll(); });
  }

  void Poll() {
    poll = 0;
    std::set<Id> changed;
    for (Id id : polled) {
      Entry& entry = entries.at(id);
      const Look now = LookAt(entry.path);
      if (now.exists && now != entry.last) changed.insert(id);
      entry.last = now;
    }
    if (!polled.empty()) poll = loop.After(kPollMs, [this] { Poll(); });
    Tell(changed);
  }

  void ReadEvents() {
    alignas(inotify_event) std::array<char, 64 << 10> buffer;
    std::set<Id> changed;
    for (int round = 0; round < kReadsARound; ++round) {
      const ssize_t size = ::read(inotify.get(), buffer.data(), buffer.size());
      if (size <= 0) break;
      for (ssize_t at = 0; at < size;) {
        inotify_event event;
        std::memcpy(&event, buffer.data() + at, sizeof event);
        const char* name = event.len > 0 ? buffer.data() + at + sizeof event : "";
        Collect(event, name, changed);
        at += ssize_t(sizeof event + event.len);
      }
    }
    if (!SpendBudget()) {
      loop.Unwatch(watch);
      watch = 0;
      pause = loop.After(kPauseMs, [this] { pause = 0, Listen(); });
    }
    Tell(changed);
  }

  bool SpendBudget() {
    const int64_t now = loop.clock().SteadyMs();
    if (now - budget_began_ms >= kBudgetMs) {
      budget_began_ms = now;
      told_at_once = 0;
    }
    return ++told_at_once <= kAtOnce;
  }

  void Collect(const inotify_event& event, std::string_view name, std::set<Id>& changed) {
    if (event.mask & IN_Q_OVERFLOW) {
      for (const auto& [id, entry] : entries) changed.insert(id);
      return;
    }
    const auto folder = folders.find(event.wd);
    if (folder == folders.end()) return;
    if (event.mask & (IN_IGNORED | IN_MOVE_SELF)) return LoseFolder(folder, changed);
    const auto [first, last] = folder->second.equal_range(name);
    for (auto it = first; it != last; ++it) changed.insert(it->second);
  }

  // The folder was removed, unmounted or renamed; a folder with the same name is a different one.
  void LoseFolder(std::map<int, Folder>::iterator folder, std::set<Id>& changed) {
    const Folder lost = std::move(folder->second);
    ::inotify_rm_watch(inotify.get(), folder->first);
    folders.erase(folder);
    for (const auto& [name, id] : lost) {
      StartPolling(id, entries.at(id));
      changed.insert(id);
    }
  }

  void Tell(const std::set<Id>& changed) {
    for (Id id : changed) {
      const auto found = entries.find(id);
      if (found == entries.end()) continue;  // removed by an earlier callback
      const auto fn = found->second.changed;
      (*fn)();
    }
  }

  void Forget(Id id) {
    const auto found = entries.find(id);
    if (found == entries.end()) return;
    polled.erase(id);
    if (const auto folder = folders.find(found->second.folder); folder != folders.end()) {
      const auto [first, last] = folder->second.equal_range(found->second.name);
      folder->second.erase(std::find_if(first, last, [id](auto& one) { return one.second == id; }));
      if (folder->second.empty()) {
        ::inotify_rm_watch(inotify.get(), folder->first);
        folders.erase(folder);
      }
    }
    entries.erase(found);
  }
};

FileWatch::FileWatch(Loop& loop) : impl_(std::make_unique<Impl>(loop)) {}

FileWatch::~FileWatch() = default;

FileWatch::Id FileWatch::Add(const Path& path, std::function<void()> changed) {
  const Id id = impl_->next_id++;
  Impl::Entry entry{.path = path,
                    .name = path.filename().string(),
                    .folder = impl_->WatchFolder(path),
                    .last = {},
                    .changed = std::make_shared<std::function<void()>>(std::move(changed))};
  Impl::Entry& added = impl_->entries.emplace(id, std::move(entry)).first->second;
  if (added.folder == Impl::kPolled) {
    impl_->StartPolling(id, added);
  } else {
    impl_->folders[added.folder].emplace(added.name, id);
  }
  return id;
}

void FileWatch::Remove(Id id) { impl_->Forget(id); }

}  // namespace muster::os
