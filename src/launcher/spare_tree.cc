#include "launcher/spare_tree.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/text.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSpare = "spare-";
constexpr auto kWait = std::chrono::milliseconds(5);
constexpr nlink_t kOursAndTheEntrys = 2;

// Empty if the kernel does not report it.
std::string BootName() {
  static const std::string name = [] {
    const auto id = os::ReadFile("/proc/sys/kernel/random/boot_id", 64);
    return id ? std::string(kSpare) + std::string(Trim(*id)) : std::string();
  }();
  return name;
}

int64_t Nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

// Compares a tree with the entry that it was linked from.
class Comparison {
 public:
  Comparison(const os::Path& tree, const os::Path& data) : tree_(tree), data_(data) {}

  bool IsWhole(std::span<const CachedFile> files) {
    if (!IsFolder(tree_)) return false;
    std::error_code error;
    for (fs::recursive_directory_iterator it(tree_, error), end; !error && it != end;
         it.increment(error)) {
      if (!Add(it->path())) return false;
    }
    if (error) return false;
    std::ranges::sort(found_, {}, &CachedFile::name);
    return std::ranges::equal(found_, files);
  }

 private:
  // Whether it is a folder that only this user may write.
  static bool IsFolder(const os::Path& path) {
    struct stat info = {};
    return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
           (info.st_mode & 0700) == 0700 && (info.st_mode & 0022) == 0 &&
           info.st_uid == ::geteuid();
  }

  bool Add(const os::Path& path) {
    std::string name = path.lexically_relative(tree_).string();
    struct stat info = {};
    if (::lstat(path.c_str(), &info) != 0) return false;
    if (S_ISDIR(info.st_mode)) {
      std::error_code error;
      if (fs::is_empty(path, error)) found_.push_back({name + "/", 0, 0});
      return !error && IsFolder(path);
    }
    struct stat sealed = {};
    if (!S_ISREG(info.st_mode) || (info.st_mode & 0222) != 0 ||
        info.st_nlink != kOursAndTheEntrys || ::lstat((data_ / name).c_str(), &sealed) != 0 ||
        sealed.st_ino != info.st_ino || sealed.st_dev != info.st_dev)
      return false;
    found_.push_back({std::move(name), info.st_size, Nanoseconds(info.st_mtim)});
    return true;
  }

  const os::Path &tree_, &data_;
  std::vector<CachedFile> found_;
};

// Moves the content of `from` into the existing folder `to`; `from` is empty afterwards.
bool MoveContent(const os::Path& from, const os::Path& to) {
  std::error_code error;
  std::vector<os::Path> entries;
  for (fs::directory_iterator it(from, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  for (const os::Path& entry : entries) {
    if (!error) fs::rename(entry, to / entry.filename(), error);
  }
  if (!error) fs::remove(from, error);
  return !error;
}

// rename(2) would replace an empty folder at `to`. A platform's view may have that very folder
// mounted, and would go on showing the removed one.
bool MoveTo(const os::Path& from, const os::Path& to) {
  struct stat info = {};
  if (::lstat(from.c_str(), &info) != 0) return false;
  if (::lstat(to.c_str(), &info) != 0) return ::rename(from.c_str(), to.c_str()) == 0;
  std::error_code error;
  return S_ISDIR(info.st_mode) && fs::is_empty(to, error) && !error && MoveContent(from, to);
}

}  // namespace

Result<os::Fd> SpareTree::Lock() const {
  // A file that every entry has.
  MUSTER_ASSIGN(os::Fd fd, os::Open(entry_ / "files", O_RDWR));
  while (true) {
    MUSTER_ASSIGN(const bool taken, os::TryLock(fd.get()));
    if (taken) return fd;
    std::this_thread::sleep_for(kWait);
  }
}

bool SpareTree::Take(const os::Path& to) const {
  const std::string name = BootName();
  if (!name.empty() && MoveTo(entry_ / name, to)) return true;
  Drop();
  return false;
}

bool SpareTree::Keep(const os::Path& tree, std::span<const CachedFile> files) const {
  const std::string name = BootName();
  if (name.empty() || !Comparison(tree, entry_ / "data").IsWhole(files)) return false;
  Drop();
  return ::rename(tree.c_str(), (entry_ / name).c_str()) == 0;
}

// Also removes spare trees of earlier boots.
void SpareTree::Drop() const {
  std::error_code error;
  std::vector<os::Path> spares;
  for (fs::directory_iterator it(entry_, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with(kSpare)) spares.push_back(it->path());
  }
  for (const os::Path& spare : spares) {
    // Renamed first, so that no process finds a partial tree.
    const os::Path away = entry_.parent_path() / os::TemporaryName();
    if (::rename(spare.c_str(), away.c_str()) != 0) continue;
    if (const auto status = os::RemoveTree(away); !status) LogWarning("{}", status.error().text);
  }
}

}  // namespace muster::launcher
