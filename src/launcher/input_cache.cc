#include "launcher/input_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <set>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "os/shared_lock.h"
#include "transfer/local_tree.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLargestList = int64_t{4} << 30;
constexpr int64_t kWeekMs = int64_t{7} * 24 * 3600 * 1000;
constexpr auto kWait = std::chrono::milliseconds(100);
constexpr int64_t kShareOfDisk = 5;  // one fifth

int64_t ShareOfDisk(const os::Path& root) {
  struct statvfs info = {};
  if (::statvfs(root.c_str(), &info) != 0) return int64_t{64} << 30;
  return int64_t(info.f_blocks) * int64_t(info.f_frsize) / kShareOfDisk;
}

int64_t Nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

// A lock file that was removed while this process waited protects nothing.
bool IsStillThere(int fd, const os::Path& path) {
  struct stat ours = {}, there = {};
  return ::fstat(fd, &ours) == 0 && ::stat(path.c_str(), &there) == 0 &&
         ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

// The regular files and the empty folders below a folder.
Result<std::vector<CachedFile>> ListTree(const os::Path& root) {
  std::vector<CachedFile> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(root, error), end; !error && it != end;
       it.increment(error)) {
    struct stat info = {};
    if (::lstat(it->path().c_str(), &info) != 0)
      return FailErrno(errno, "look at " + it->path().string());
    std::string name = it->path().lexically_relative(root).string();
    if (S_ISREG(info.st_mode)) {
      files.push_back({std::move(name), info.st_size, Nanoseconds(info.st_mtim)});
    } else if (S_ISDIR(info.st_mode) && fs::is_empty(it->path(), error)) {
      files.push_back({name + "/", 0, 0});
    }
    if (error) break;
  }
  if (error) return FailErrno(error.value(), "read the folder " + root.string());
  std::ranges::sort(files, {}, &CachedFile::name);
  return files;
}

// Compares files with a list, folder by folder: names are resolved relative to the open folder.
class SealCheck {
 public:
  explicit SealCheck(const os::Path& root) : root_(root) {}

  bool IsAsSealed(const CachedFile& file) {
    const size_t slash = file.name.rfind('/');
    const size_t begin = slash == std::string::npos ? 0 : slash + 1;
    if (!Enter(file.name.substr(0, begin))) return false;
    const char* const leaf = file.name.c_str() + begin;
    if (*leaf == '\0') return true;  // the folder itself
    struct stat info = {};
    return ::fstatat(folder_fd_.get(), leaf, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(info.st_mode) && info.st_size == file.size &&
           Nanoseconds(info.st_mtim) == file.mtime_ns;
  }

 private:
  bool Enter(std::string folder) {
    if (folder_fd_ && folder == folder_) return true;
    // Without the trailing slash, because a symbolic link in its place would be followed.
    const std::string_view name =
        std::string_view(folder).substr(0, folder.size() - !folder.empty());
    auto fd = os::Open(root_ / name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!fd) return false;
    folder_fd_ = std::move(*fd);
    folder_ = std::move(folder);
    return true;
  }

  const os::Path& root_;
  std::string folder_;  // the open folder, with a trailing '/'
  os::Fd folder_fd_;
};

constexpr std::string_view kStampEnd = ".stamp";

bool IsName(std::string_view name) {
  if (name.ends_with('/')) name.remove_suffix(1);
  return transfer::CheckFileName(name).has_value();
}

}  // namespace

InputCache::InputCache(os::Path root, int64_t limit) : root_(std::move(root)), limit_(limit) {}

InputCache InputCache::In(const os::Path& data_dir, int64_t limit) {
  return {data_dir / "cache" / "inputs", limit};
}

Result<os::Fd> InputCache::OpenLock(const std::string& name) const {
  MUSTER_TRY(os::MakeDirs(root_));
  return os::Open(root_ / name, O_RDWR | O_CREAT, 0644);
}

Result<os::Fd> InputCache::Use(const std::string& key) const {
  const std::string name = key + ".use";
  while (true) {
    MUSTER_ASSIGN(os::Fd fd, OpenLock(name));
    MUSTER_ASSIGN(const bool taken, os::TryLockShared(fd.get()));
    if (taken && IsStillThere(fd.get(), root_ / name)) {
      ::futimens(fd.get(), nullptr);
      return fd;
    }
    // Only an eviction holds the exclusive lock, and only briefly.
    if (!taken) std::this_thread::sleep_for(kWait);
  }
}

Result<os::Fd> InputCache::LockToFetch(const std::string& key,
                                       const std::function<void()>& waiting) const {
  const std::string name = key + ".fetch";
  while (true) {
    MUSTER_ASSIGN(os::Fd fd, OpenLock(name));
    MUSTER_ASSIGN(const bool taken, os::TryLock(fd.get()));
    if (taken && IsStillThere(fd.get(), root_ / name)) return fd;
    if (taken) continue;
    waiting();
    std::this_thread::sleep_for(kWait);
  }
}

Result<std::vector<CachedFile>> InputCache::ReadList(const std::string& key) const {
  MUSTER_ASSIGN(const std::string text, os::ReadFile(root_ / key / "files", kLargestList));
  return ReadFileList(text);
}

EntrySize InputCache::SizeOf(const std::string& key) const {
  return ReadEntrySize(os::ReadFile(root_ / key / "bytes", 64).value_or(""));
}

bool InputCache::GiveBack(const std::string& key, const os::Path& tree) const {
  const auto use = Use(key);
  const SpareTree spare = Spare(key);
  const auto lock = spare.Lock();
  const auto files = ReadList(key);
  return use && lock && files && spare.Keep(tree, *files);
}

Result<std::vector<CachedFile>> InputCache::Look(const std::string& key) const {
  MUSTER_ASSIGN(std::vector<CachedFile> files, ReadList(key));
  const os::Path data = Data(key);
  SealCheck check(data);
  for (const CachedFile& file : files) {
    if (!IsName(file.name) || !check.IsAsSealed(file))
      return Fail(Code::kCorrupt, fmt::format("{} was changed after it was fetched",
                                              Printable((data / file.name).string())));
  }
  return files;
}

Status InputCache::Seal(const std::string& key) const {
  const os::Path part = Part(key);
  MUSTER_TRY(os::MakeDirs(part / "data"));  // a source may have no files
  MUSTER_ASSIGN(const std::vector<CachedFile> files, ListTree(part / "data"));
  for (const CachedFile& file : files) {
    // All jobs share the inode: a job must not write to it by mistake.
    if (!file.name.ends_with('/')) ::chmod((part / "data" / file.name).c_str(), 0444);
  }
  int64_t bytes = 0;
  for (const CachedFile& file : files) bytes += file.size;
  MUSTER_TRY(os::WriteFileAtomic(part / "files", WriteFileList(files), 0644, false));
  const EntrySize size{bytes, int64_t(files.size())};
  MUSTER_TRY(os::WriteFileAtomic(part / "bytes", WriteEntrySize(size), 0644, false));
  const os::Path entry = root_ / key;
  if (::rename(part.c_str(), entry.c_str()) != 0)
    return FailErrno(errno, fmt::format("rename {} to {}", part.string(), entry.string()));
  return {};
}

// Removal may be slow or interrupted, so the entry first gets an unused name.
Status InputCache::SetAside(const std::string& name, std::vector<os::Path>& aside) const {
  const os::Path away = root_ / os::TemporaryName();
  if (::rename((root_ / name).c_str(), away.c_str()) == 0) {
    aside.push_back(away);
  } else if (errno != ENOENT) {
    return FailErrno(errno, fmt::format("rename {}", (root_ / name).string()));
  }
  return {};
}

Status InputCache::Discard(const std::string& key) const {
  std::vector<os::Path> aside;
  MUSTER_TRY(SetAside(key, aside));
  MUSTER_TRY(SetAside(key + ".part", aside));
  for (const os::Path& path : aside) MUSTER_TRY(os::RemoveTree(path));
  return {};
}

std::vector<CacheEntry> InputCache::Entries() const {
  std::vector<CacheEntry> entries;
  std::error_code error;
  for (fs::directory_iterator it(root_, error), end; !error && it != end; it.increment(error)) {
    const std::string key = it->path().filename().string();
    if (!IsCacheKey(key)) continue;
    CacheEntry entry{.key = key};
    entry.bytes = SizeOf(key).bytes;
    struct stat info = {};
    const os::Path use = root_ / (key + ".use");
    if (::stat(use.c_str(), &info) == 0) entry.used_ms = Nanoseconds(info.st_mtim) / 1'000'000;
    entry.in_use = os::IsLocked(use);
    entries.push_back(std::move(entry));
  }
  return entries;
}

bool InputCache::RemoveIfUnused(const std::string& key) const {
  std::vector<os::Path> aside;
  {
    const auto fetch = OpenLock(key + ".fetch");
    const auto use = OpenLock(key + ".use");
    const auto alone = [](const Result<os::Fd>& fd) {
      return fd && os::TryLock(fd->get()).value_or(false);
    };
    if (!alone(fetch) || !alone(use)) return false;
    Status status = SetAside(key, aside);
    if (status) status = SetAside(key + ".part", aside);
    if (!status) {
      LogWarning("the cache of inputs keeps {}: {}", key, status.error().text);
      return false;
    }
    ::unlink((root_ / (key + ".use")).c_str());
    ::unlink((root_ / (key + ".fetch")).c_str());
  }
  for (const os::Path& path : aside)
    if (const auto status = os::RemoveTree(path); !status) LogWarning("{}", status.error().text);
  return true;
}

void InputCache::RemoveForgotten(int64_t now_wall_ms) const {
  std::error_code error;
  std::set<std::string> keys;
  std::vector<os::Path> cut_off;  // interrupted removals
  for (fs::directory_iterator it(root_, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    struct stat info = {};
    if (::stat(it->path().c_str(), &info) != 0) continue;
    if (now_wall_ms - Nanoseconds(info.st_mtim) / 1'000'000 <= kWeekMs) continue;
    if (os::IsTemporaryName(name) || name.ends_with(kStampEnd)) {
      cut_off.push_back(it->path());
      continue;
    }
    const std::string key = name.substr(0, name.find('.'));
    if (IsCacheKey(key)) keys.insert(key);
  }
  for (const os::Path& path : cut_off) static_cast<void>(os::RemoveTree(path));
  for (const std::string& key : keys)
    if (!fs::exists(root_ / key, error)) RemoveIfUnused(key);
}

std::optional<KnownSource> InputCache::Recall(const std::string& source) const {
  const auto text = os::ReadFile(root_ / (os::Sha256(source).append(kStampEnd)), 4096);
  return text ? ReadKnownSource(*text) : std::nullopt;
}

void InputCache::Remember(const std::string& source, const KnownSource& known) const {
  const auto written = os::WriteFileAtomic(root_ / (os::Sha256(source).append(kStampEnd)),
                                           WriteKnownSource(known), 0644, false);
  // On failure the next fetch lists the source again.
  if (!written) LogWarning("{}", written.error().text);
}

std::vector<std::string> InputCache::Evict(int64_t now_wall_ms, int64_t coming) const {
  RemoveForgotten(now_wall_ms);
  const int64_t limit = limit_ > 0 ? limit_ : ShareOfDisk(root_);
  std::vector<std::string> gone;
  for (const std::string& key : ChooseEvictions(Entries(), std::max<int64_t>(0, limit - coming)))
    if (RemoveIfUnused(key)) gone.push_back(key);
  return gone;
}

}  // namespace muster::launcher
