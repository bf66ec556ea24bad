#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>

#include <fmt/format.h>

#include "base/log.h"
#include "os/file.h"

namespace muster::os {
namespace {

using Dir = std::unique_ptr<DIR, int (*)(DIR*)>;
constexpr int kDeepest = 100;  // two descriptors per level

struct Place {
  int folder;  // AT_FDCWD for the root of the tree
  std::string name;
  Path path;  // for errors
};

Place Below(int folder, const Place& parent, const char* name) {
  return {folder, name, parent.path / name};
}

std::unexpected<Error> FailCopy(int error, const Place& from, const Place& to) {
  return FailErrno(error, fmt::format("copy {} to {}", from.path.string(), to.path.string()));
}

// Returns 0 or errno; ECANCELED if `go_on` returned false.
int CopyByHand(int from, int to, const GoOn& go_on) {
  std::string buffer(256 << 10, '\0');
  for (;;) {
    if (!go_on()) return ECANCELED;
    const ssize_t count = ::read(from, buffer.data(), buffer.size());
    if (count == 0) return 0;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    const Status written = WriteAll(to, std::string_view(buffer.data(), size_t(count)));
    if (!written) return written.error().sys;
  }
}

// Returns 0 or errno. Uses copy_file_range where possible. A file system without support fails at
// the first call, and files of /proc, whose size is 0, appear to end at once.
int CopyBytes(int from, int to, const GoOn& go_on) {
  constexpr size_t kChunk = size_t{32} << 20;  // at most this much is copied after a cancellation
  bool any = false;
  for (;;) {
    if (!go_on()) return ECANCELED;
    const ssize_t count = ::copy_file_range(from, nullptr, to, nullptr, kChunk, 0);
    if (count > 0) {
      any = true;
    } else if (count == 0) {
      return any ? 0 : CopyByHand(from, to, go_on);
    } else if (errno != EINTR) {
      const bool unable = errno == EXDEV || errno == EINVAL || errno == ENOSYS ||
                          errno == EOPNOTSUPP || errno == EPERM || errno == EBADF;
      return unable && !any ? CopyByHand(from, to, go_on) : errno;
    }
  }
}

Status CopyRegular(const Place& from, const Place& to, mode_t mode, const GoOn& go_on) {
  const Fd in(::openat(from.folder, from.name.c_str(),
                       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!in) return FailCopy(errno, from, to);
  Fd out(::openat(to.folder, to.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!out) return FailCopy(errno, from, to);
  if (const int error = CopyBytes(in.get(), out.get(), go_on); error != 0)
    return FailCopy(error, from, to);
  if (::fchmod(out.get(), mode & 0777) != 0) return FailCopy(errno, from, to);
  if (::close(out.Release()) != 0) return FailCopy(errno, from, to);
  return {};
}

Status CopyLink(const Place& from, const Place& to) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = ::readlinkat(from.folder, from.name.c_str(), target.data(), target.size());
  if (size < 0) return FailCopy(errno, from, to);
  target.resize(size_t(size));
  if (::symlinkat(target.c_str(), to.folder, to.name.c_str()) != 0)
    return FailCopy(errno, from, to);
  return {};
}

Status CopyEntry(const Place& from, const Place& to, int depth, const GoOn& go_on);

Status CopyFolder(const Place& from, const Place& to, mode_t mode, int depth, const GoOn& go_on) {
  if (depth >= kDeepest) {
    return Fail(Code::kTooLarge, fmt::format("cannot copy {}: folders are nested deeper than {}",
                                             from.path.string(), kDeepest));
  }
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  if (::mkdirat(to.folder, to.name.c_str(), 0700) != 0) return FailCopy(errno, from, to);
  const Fd out(::openat(to.folder, to.name.c_str(), kFlags));
  if (!out) return FailCopy(errno, from, to);
  Fd in(::openat(from.folder, from.name.c_str(), kFlags));
  if (!in) return FailCopy(errno, from, to);
  const Dir dir(::fdopendir(in.get()), ::closedir);
  if (!dir) return FailCopy(errno, from, to);
  const int in_fd = in.Release();  // `dir` closes it now
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(dir.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    MUSTER_TRY(CopyEntry(Below(in_fd, from, entry->d_name), Below(out.get(), to, entry->d_name),
                         depth + 1, go_on));
  }
  if (errno != 0) return FailCopy(errno, from, to);
  // Set the mode last, because it may deny writes to the owner.
  if (::fchmod(out.get(), mode & 0777) != 0) return FailCopy(errno, from, to);
  return {};
}

Status CopyEntry(const Place& from, const Place& to, int depth, const GoOn& go_on) {
  struct stat info{};
  if (::fstatat(from.folder, from.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return FailCopy(errno, from, to);
  }
  if (S_ISDIR(info.st_mode)) return CopyFolder(from, to, info.st_mode, depth, go_on);
  if (S_ISREG(info.st_mode)) return CopyRegular(from, to, info.st_mode, go_on);
  if (S_ISLNK(info.st_mode)) return CopyLink(from, to);
  LogWarning("{} is left out of the copy: it is no file, folder or link", from.path.string());
  return {};
}

bool IsInside(const Path& inner, const Path& outer) {
  std::error_code error;
  const Path a = std::filesystem::weakly_canonical(inner, error);
  const Path b = std::filesystem::weakly_canonical(outer, error);
  return std::mismatch(b.begin(), b.end(), a.begin(), a.end()).first == b.end();
}

}  // namespace

Status CopyTree(const Path& from, const Path& to, const GoOn& go_on) {
  if (IsInside(to, from)) {
    return Fail(Code::kInvalid, fmt::format("cannot copy {} to {}: that lies inside it",
                                            from.string(), to.string()));
  }
  struct stat info{};
  if (::lstat(to.c_str(), &info) == 0) {
    return FailErrno(EEXIST, fmt::format("copy {} to {}", from.string(), to.string()));
  }
  const Status copied =
      CopyEntry({AT_FDCWD, from.string(), from}, {AT_FDCWD, to.string(), to}, 0, go_on);
  if (copied) return {};
  if (const Status removed = RemoveTree(to); !removed) LogWarning("{}", removed.error().text);
  return copied;
}

}  // namespace muster::os
