#include "store/code_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "os/fd.h"

namespace muster::store {
namespace {

Status CopyBytes(const os::Path& from, const os::Path& to, int out) {
  MUSTER_ASSIGN(const os::Fd in, os::Open(from, O_RDONLY));
  std::vector<char> buffer(1 << 20);
  while (true) {
    const ssize_t got = ::read(in.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FailErrno(errno, "read " + from.string());
    if (got == 0) break;
    MUSTER_TRY(os::WriteAll(out, {buffer.data(), size_t(got)}));
  }
  if (::fsync(out) != 0) return FailErrno(errno, "sync " + to.string());
  return {};
}

}  // namespace

Status CopyFile(const os::Path& from, const os::Path& to, mode_t mode) {
  MUSTER_ASSIGN(const os::Fd out, os::Open(to, O_WRONLY | O_CREAT | O_EXCL, 0600));
  Status status =
      ::fchmod(out.get(), mode) == 0 ? Status{} : FailErrno(errno, "chmod " + to.string());
  if (status) status = CopyBytes(from, to, out.get());
  if (!status) ::unlink(to.c_str());
  return status;
}

Status LinkOrCopy(const os::Path& from, const os::Path& to, mode_t mode) {
  if (::link(from.c_str(), to.c_str()) == 0) return {};
  if (errno != EMLINK && errno != EPERM && errno != EXDEV && errno != EOPNOTSUPP)
    return FailErrno(errno, fmt::format("link {} to {}", from.string(), to.string()));
  return CopyFile(from, to, mode);
}

Status Publish(const os::Path& from, const os::Path& to) {
  const auto failed = [&] {
    return FailErrno(errno, fmt::format("rename {} to {}", from.string(), to.string()));
  };
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
  if (errno == EEXIST) {
    if (::unlink(from.c_str()) != 0) return FailErrno(errno, "remove " + from.string());
    return {};
  }
  // Some network file systems support only plain rename.
  if (errno != EINVAL && errno != ENOSYS) return failed();
  if (::rename(from.c_str(), to.c_str()) != 0) return failed();
  return {};
}

void Touch(const os::Path& path) { (void)::utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

}  // namespace muster::store
