#include "objects/folder.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::objects {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

// Opens one component at a time, for kernels and sandboxes without openat2.
int OpenBySteps(int folder, const std::string& path, int flags, mode_t mode) {
  const auto names = Split(path, '/');
  os::Fd step;
  int at = folder;
  for (size_t i = 0; i + 1 < names.size(); ++i) {
    os::Fd next(::openat(at, names[i].c_str(), kFolderFlags | O_CLOEXEC));
    if (!next) return -1;
    step = std::move(next);
    at = step.get();
  }
  return ::openat(at, names.back().c_str(), flags, mode);
}

int OpenBeneath(int folder, const std::string& path, int flags, mode_t mode) {
  static std::atomic<bool> has_openat2 = true;
  if (has_openat2) {
    open_how how = {};
    how.flags = static_cast<uint64_t>(flags);
    how.mode = (flags & O_CREAT) != 0 ? mode : 0;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
    const long fd = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(fd);
    has_openat2 = false;
  }
  return OpenBySteps(folder, path, flags, mode);
}

}  // namespace

Result<Folder> Folder::Open(const os::Path& path) {
  MUSTER_ASSIGN(os::Fd fd, os::Open(path, kFolderFlags));
  return Folder(std::move(fd));
}

Result<os::Fd> Folder::Open(const std::string& path, int flags, mode_t mode) const {
  constexpr int kTries = 100;  // openat2 fails with EAGAIN if folders are renamed meanwhile
  for (int i = 1;; ++i) {
    const int fd = OpenBeneath(fd_.get(), path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd >= 0) return os::Fd(fd);
    const bool again = errno == EINTR || errno == EAGAIN;
    if (!again || i == kTries) return FailErrno(errno, "open " + Printable(path));
  }
}

Result<Folder> Folder::Sub(const std::string& path) const {
  MUSTER_ASSIGN(os::Fd fd, Open(path, kFolderFlags));
  return Folder(std::move(fd));
}

Result<Folder> Folder::MakeSub(const std::string& name, mode_t mode) const {
  if (::mkdirat(fd_.get(), name.c_str(), mode) != 0 && errno != EEXIST) {
    return FailErrno(errno, "make the folder " + Printable(name));
  }
  return Sub(name);
}

std::pair<std::string, std::string> SplitPath(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {"", std::string(path)};
  return {std::string(path.substr(0, slash)), std::string(path.substr(slash + 1))};
}

}  // namespace muster::objects
