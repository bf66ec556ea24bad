#include "os/shared_lock.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>

#include <fmt/format.h>

namespace muster::os {

Result<bool> TryLockShared(int fd) {
  struct flock lock{};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(fd, F_OFD_SETLK, &lock) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  return FailErrno(errno, fmt::format("share the lock of descriptor {}", fd));
}

}  // namespace muster::os
