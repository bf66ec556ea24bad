#include <sys/stat.h>

#include <atomic>
#include <thread>

#include <fmt/format.h>

#include "base/thread_annotations.h"
#include "cli/snapshot.h"

namespace muster::cli {
namespace {

// Changes when a file is written or replaced.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  timespec modified{}, changed{};

  bool operator==(const Identity& other) const {
    return device == other.device && inode == other.inode && size == other.size &&
           modified.tv_sec == other.modified.tv_sec && modified.tv_nsec == other.modified.tv_nsec &&
           changed.tv_sec == other.changed.tv_sec && changed.tv_nsec == other.changed.tv_nsec;
  }
};

Result<Identity> Identify(const os::Path& path) {
  struct stat info{};
  if (lstat(path.c_str(), &info) != 0)
    return FailErrno(errno, fmt::format("look at {}", path.string()));
  if (!S_ISREG(info.st_mode))
    return Fail(Code::kConflict, fmt::format("{} is no longer a file", path.string()));
  return Identity{info.st_dev, info.st_ino, info.st_size, info.st_mtim, info.st_ctim};
}

Status HashOne(const os::Path& root, SnapshotFile& file, const SnapshotOptions& options) {
  const os::Path path = root / file.path;
  for (int pass = 0; pass < 2; ++pass) {
    MUSTER_ASSIGN(const Identity before, Identify(path));
    MUSTER_ASSIGN(file.sha256, os::Sha256OfFile(path));
    if (options.after_read_for_test) options.after_read_for_test(path);
    MUSTER_ASSIGN(const Identity after, Identify(path));
    if (before != after) continue;
    file.size = before.size;
    return {};
  }
  return Fail(Code::kConflict, fmt::format("{} keeps changing while it is read", path.string()),
              "wait until nothing writes to it, or list it in .musterignore");
}

}  // namespace

Status HashFiles(Snapshot& snapshot, const SnapshotOptions& options) {
  std::atomic<size_t> next = 0;
  std::atomic<bool> failed = false;
  Mutex mutex;
  Status first;  // the reported failure; guarded by `mutex` until the threads are joined
  const auto work = [&] {
    for (size_t i = next++; i < snapshot.files.size() && !failed; i = next++) {
      if (!snapshot.files[i].link.empty()) continue;
      Status status = HashOne(snapshot.root, snapshot.files[i], options);
      if (status) continue;
      const MutexLock lock(mutex);
      if (!failed.exchange(true)) first = std::move(status);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i < options.threads; ++i) threads.emplace_back(work);
    work();
  }
  MUSTER_TRY(std::move(first));
  snapshot.bytes = 0;
  for (const SnapshotFile& file : snapshot.files) snapshot.bytes += file.size;
  return {};
}

json::object ManifestJson(const Snapshot& snapshot) {
  json::array files;
  for (const SnapshotFile& file : snapshot.files) {
    json::object entry{{"path", file.path},
                       {"sha256", file.sha256},
                       {"size", file.size},
                       {"executable", file.executable}};
    if (!file.link.empty()) entry["link"] = file.link;
    files.push_back(std::move(entry));
  }
  return json::object{{"files", std::move(files)}};
}

}  // namespace muster::cli
