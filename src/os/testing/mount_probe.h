#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::os {

// Whether this user may have a mount and a host name of its own, found out by system calls alone: a
// test that skips because the code under test reports that there are none would never fail.
inline bool MachineAllowsMounts() {
  const pid_t child = ::fork();
  if (child == 0) {
    const int user = ::geteuid() == 0 ? 0 : CLONE_NEWUSER;
    const bool allowed = ::unshare(user | CLONE_NEWNS | CLONE_NEWUTS) == 0 &&
                         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount("probe", "/tmp", "tmpfs", 0, nullptr) == 0 &&
                         ::sethostname("probe", 5) == 0;
    ::_exit(allowed ? 0 : 1);
  }
  int status = 1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace muster::os
