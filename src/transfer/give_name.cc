#include "transfer/give_name.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::transfer {
namespace {

constexpr int kMostLinks = 40;  // as the kernel has it
constexpr int kMostTries = 32;  // as many at the same file at once lose the race in turn

// Always the same name for the same file: what a kill leaves of it is found by the next run.
std::string TemporaryNameFor(const std::string& leaf) {
  std::string name = os::TemporaryName();
  const size_t random = name.find_last_not_of("0123456789abcdef") + 1;
  return name.replace(random, name.npos, os::Sha256(leaf), 0, name.size() - random);
}

std::unexpected<Error> InTheWay(const os::Path& path, std::string_view what) {
  return Fail(Code::kConflict,
              fmt::format("{} is in the way: it is {}, and only a regular file is replaced",
                          Printable(path.string()), what),
              "move it away, or copy to another name; to read an object without a file: "
              "muster objects cat s3://BUCKET/KEY");
}

std::string_view WhatItIs(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFLNK:
      return "a link, which may lead out of the folder";
    case S_IFDIR:
      return "a folder";
    case S_IFIFO:
      return "a pipe";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

// Whether links there lead to files that are open, not to names.
bool IsProc(const os::Path& folder) {
  struct statfs system = {};
  return ::statfs(folder.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

bool IsSameFile(int fd, int folder, const std::string& name) {
  struct stat one = {}, other = {};
  return ::fstat(fd, &one) == 0 &&
         ::fstatat(folder, name.c_str(), &other, AT_SYMLINK_NOFOLLOW) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

void Lock(int fd) {
  while (::flock(fd, LOCK_EX) != 0 && errno == EINTR) {
  }
}

// A file under the temporary name is locked by who gave it that name until it has its own. Waits
// for that; where it still has it then, who gave it is dead. False where it is another user's, who
// might never let it go.
bool RemoveLeftOver(int folder, const std::string& temporary) {
  const os::Fd fd(::openat(folder, temporary.c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info = {};
  if (!fd) return errno == ENOENT;
  if (::fstat(fd.get(), &info) != 0 || info.st_uid != ::geteuid()) return false;
  Lock(fd.get());
  // Only who has the lock of a file takes this name from it: it cannot be another's by now.
  return !IsSameFile(fd.get(), folder, temporary) || ::unlinkat(folder, temporary.c_str(), 0) == 0;
}

}  // namespace

Result<os::Path> FollowLinks(const os::Path& named) {
  os::Path path = named;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error;
    const os::Path to = std::filesystem::read_symlink(path, error);
    if (error) return path;  // it is no link, or there is nothing
    const os::Path folder = path.has_parent_path() ? path.parent_path() : os::Path(".");
    if (IsProc(folder)) return InTheWay(named, "what some process has open");
    path = folder / to;
  }
  return InTheWay(named, "a link without end");
}

Status CheckReplaceable(const LocalTree::Place& place) {
  struct stat info = {};
  const int folder = place.folder->get();
  if (::fstatat(folder, place.leaf.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return {};
  if (S_ISREG(info.st_mode)) return {};
  return InTheWay(place.path, WhatItIs(info.st_mode));
}

Status GiveName(int fd, const LocalTree::Place& place) {
  const int folder = place.folder->get();
  const auto failed = [&] { return FailErrno(errno, "write " + place.path.string()); };
  if (os::NameFile(fd, folder, place.leaf.c_str()) == 0) return {};
  if (errno != EEXIST) return failed();
  MUSTER_TRY(CheckReplaceable(place));
  Lock(fd);  // from before it has the temporary name until it has its own: see RemoveLeftOver
  std::string temporary = TemporaryNameFor(place.leaf);
  for (int tries = 0; tries < kMostTries; ++tries) {
    if (os::NameFile(fd, folder, temporary.c_str()) != 0) {
      if (errno != EEXIST) return failed();
      const bool unlucky = tries >= kMostTries / 2 || !RemoveLeftOver(folder, temporary);
      if (unlucky) temporary = os::TemporaryName();
      continue;
    }
    if (::renameat(folder, temporary.c_str(), folder, place.leaf.c_str()) == 0) {
      (void)::flock(fd, LOCK_UN);
      return {};
    }
    if (errno == ENOENT) continue;  // a file system without locks
    const auto failure = failed();
    ::unlinkat(folder, temporary.c_str(), 0);
    return failure;
  }
  return failed();
}

}  // namespace muster::transfer
