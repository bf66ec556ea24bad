#include "os/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

namespace muster::os {
namespace {

// Reads up to `want` bytes or to the end. `read_some(data, size)` is read(2) or pread(2).
template <typename ReadSome>
int ReadUpTo(std::string& out, int64_t want, int64_t expected, ReadSome read_some) {
  // Block size for files of unknown size, such as those of /proc and control groups, which are
  // short. Freeing a block of 64 KiB makes malloc trim its heap, and a launcher reads ten such
  // files per job.
  constexpr int64_t kFirst = 4 << 10;
  int64_t room = std::clamp<int64_t>(expected + 1, 1, want);
  if (expected <= 0) room = std::min(kFirst, want);
  int error = 0;
  while (error == 0 && int64_t(out.size()) < want) {
    const size_t before = out.size();
    bool ended = false;
    out.resize_and_overwrite(before + size_t(room), [&](char* data, size_t) {
      ssize_t count = 0;
      do {
        count = read_some(data + before, size_t(room));
      } while (count < 0 && errno == EINTR);
      if (count < 0) error = errno;
      // A regular file returns fewer bytes than requested only at its end.
      ended = count <= 0 || (expected > 0 && count < room);
      return before + size_t(std::max<ssize_t>(count, 0));
    });
    if (ended) break;
    room = std::min(want - int64_t(out.size()), std::max(kFirst, int64_t(out.size())));
  }
  return error;
}

// Neither waits for the writer of a pipe nor acquires a controlling terminal.
constexpr int kReadFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY;

constexpr const char* kTemporaryPrefix = ".new-";
constexpr int kTemporaryBytes = 8;

int64_t SizeOf(int fd) {
  struct stat info{};
  return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? info.st_size : 0;
}

Status WriteAndClose(Fd fd, std::string_view content, bool sync, const Path& path) {
  if (const Status written = WriteAll(fd.get(), content); !written) {
    return FailErrno(written.error().sys, "write " + path.string());
  }
  if (sync && ::fsync(fd.get()) != 0) return FailErrno(errno, "sync " + path.string());
  if (::close(fd.Release()) != 0) return FailErrno(errno, "close " + path.string());
  return {};
}

}  // namespace

Result<Fd> Open(const Path& path, int flags, mode_t mode) {
  for (;;) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    if (fd >= 0) return Fd(fd);
    if (errno != EINTR) return FailErrno(errno, "open " + path.string());
  }
}

Result<std::string> ReadFile(const Path& path, int64_t limit) {
  limit = std::clamp<int64_t>(limit, 0, INT64_MAX - 1);
  MUSTER_ASSIGN(const Fd fd, Open(path, kReadFlags));
  std::string content;
  const int error = ReadUpTo(content, limit + 1, SizeOf(fd.get()),
                             [&](char* data, size_t size) { return ::read(fd.get(), data, size); });
  if (error != 0) return FailErrno(error, "read " + path.string());
  if (int64_t(content.size()) > limit) {
    return Fail(Code::kTooLarge,
                fmt::format("cannot read {}: it is larger than {} bytes", path.string(), limit));
  }
  return content;
}

Result<std::string> ReadAt(const Path& path, int64_t offset, int64_t limit) {
  if (offset < 0 || limit < 0) {
    return Fail(Code::kInvalid, fmt::format("cannot read {} at {} for {} bytes: a negative range",
                                            path.string(), offset, limit));
  }
  MUSTER_ASSIGN(const Fd fd, Open(path, kReadFlags));
  std::string content;
  const int error =
      ReadUpTo(content, limit, SizeOf(fd.get()) - offset, [&](char* data, size_t size) {
        return ::pread(fd.get(), data, size, offset + int64_t(content.size()));
      });
  if (error != 0) return FailErrno(error, "read " + path.string());
  return content;
}

Result<int64_t> FileSize(const Path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return FailErrno(errno, "examine " + path.string());
  return info.st_size;
}

Status WriteAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(fd, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailErrno(errno, fmt::format("write {} bytes", content.size()));
    content.remove_prefix(size_t(count));
  }
  return {};
}

// Not the target's name with a suffix, which could be too long.
std::string TemporaryName() { return kTemporaryPrefix + RandomHex(kTemporaryBytes); }

bool IsTemporaryName(std::string_view name) {
  return name.starts_with(kTemporaryPrefix) && name.find('/') == std::string_view::npos &&
         name.size() == std::string_view(kTemporaryPrefix).size() + 2 * kTemporaryBytes;
}

int NameFile(int fd, int folder, const char* leaf) {
  // Older kernels require a capability for AT_EMPTY_PATH and otherwise return ENOENT.
  if (::linkat(fd, "", folder, leaf, AT_EMPTY_PATH) == 0) return 0;
  if (errno != ENOENT && errno != EPERM && errno != EINVAL) return -1;
  const std::string self = fmt::format("/proc/self/fd/{}", fd);
  return ::linkat(AT_FDCWD, self.c_str(), folder, leaf, AT_SYMLINK_FOLLOW);
}

void RemoveTemporaries(const Path& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (IsTemporaryName(it->path().filename().native())) ::unlink(it->path().c_str());
  }
}

Status WriteFileAtomic(const Path& path, std::string_view content, mode_t mode, bool sync) {
  if (!path.has_filename()) {
    return Fail(Code::kInvalid, fmt::format("cannot write {}: it names a folder", path.string()));
  }
  const Path folder = path.has_parent_path() ? path.parent_path() : Path(".");
  const Path temporary = folder / TemporaryName();
  auto fd = Open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
  if (!fd) return FailErrno(fd.error().sys, "write " + path.string());
  Status status = WriteAndClose(std::move(*fd), content, sync, path);
  if (status && ::rename(temporary.c_str(), path.c_str()) != 0) {
    status = FailErrno(errno, fmt::format("rename the new {} into place", path.string()));
  }
  if (!status) {
    ::unlink(temporary.c_str());
    return status;
  }
  return sync ? SyncDir(folder) : Status();
}

Status WriteNewFile(const Path& path, std::string_view content, mode_t mode) {
  auto fd = Open(path, O_WRONLY | O_CREAT | O_EXCL, mode);
  if (!fd && fd.error().sys == EEXIST) return WriteFileAtomic(path, content, mode, false);
  if (!fd) return FailErrno(fd.error().sys, "write " + path.string());
  Status status = WriteAndClose(std::move(*fd), content, false, path);
  if (!status) ::unlink(path.c_str());
  return status;
}

Status SyncDir(const Path& path) {
  MUSTER_ASSIGN(const Fd fd, Open(path, O_RDONLY | O_DIRECTORY));
  // Some file systems cannot sync folders and need no sync.
  if (::fsync(fd.get()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    return FailErrno(errno, "sync folder " + path.string());
  }
  return {};
}

// Open-file-description locks can be queried without being taken. A probe that takes the lock for
// an instant could make the owner's attempt fail.
Result<bool> TryLock(int fd) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(fd, F_OFD_SETLK, &lock) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  return FailErrno(errno, fmt::format("lock descriptor {}", fd));
}

bool IsLocked(const Path& path) {
  const auto fd = Open(path, kReadFlags);
  // The caller takes "not locked" for "the owner is dead", so only a missing file returns it.
  if (!fd) return fd.error().code != Code::kNotFound;
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(fd->get(), F_OFD_GETLK, &lock) != 0) return true;
  return lock.l_type != F_UNLCK;
}

}  // namespace muster::os
