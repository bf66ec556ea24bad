#include "engines/local/machine_look.h"

#include <fcntl.h>
#include <poll.h>

#include <utility>

namespace muster::engines {

MachineLook::MachineLook() : mounts_(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)) {
  Changed();
}

bool MachineLook::Changed() {
  pollfd mounts{mounts_.get(), POLLPRI, 0};
  const bool mounted = !mounts_ || ::poll(&mounts, 1, 0) != 0;
  struct stat info{};
  (void)::stat("/etc/hosts", &info);
  const HostsFile now{info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
  return std::exchange(hosts_, now) != now || mounted;
}

}  // namespace muster::engines
