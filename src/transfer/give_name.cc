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

constexpr int kMostLinks = 40;  // the limit of the kernel
// Limit for losing a race against other processes that replace the same file.
constexpr int kMostTries = 32;

// A file always has the same temporary name, so that the next run finds what a kill left.
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

// Whether the folder is in /proc, where links lead to open files rather than to names.
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

// The process that gives a file the temporary name holds a lock on the file until the file has its
// final name. Waits for that lock. If the file still has the temporary name then, its owner died,
// and the file is removed. Returns false if the file belongs to another user, who might hold the
// lock forever.
bool RemoveLeftOver(int folder, const std::string& temporary) {
  const os::Fd fd(::openat(folder, temporary.c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info = {};
  if (!fd) return errno == ENOENT;
  if (::fstat(fd.get(), &info) != 0 || info.st_uid != ::geteuid()) return false;
  Lock(fd.get());
  // Only the holder of the lock removes this name, so the name still belongs to this file.
  return !IsSameFile(fd.get(), folder, temporary) || ::unlinkat(folder, temporary.c_str(), 0) == 0;
}

}  // namespace

Result<os::Path> FollowLinks(const os::Path& named) {
  os::Path path = named;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error;
    const os::Path to = std::filesystem::read_symlink(path, error);
    if (error) return path;  // not a symbolic link, or missing
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
  Lock(fd);  // held until the file has its final name: see RemoveLeftOver
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
