#include "os/spawn_child.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

// Plain system calls only: wrappers of the C library may belong to a sanitizer, which would
// attribute the child's actions to the parent.
#define MUSTER_CHILD __attribute__((no_sanitize("address", "thread", "undefined")))

namespace muster::os {
namespace {

constexpr int kSignals = 64;

// The layout of the kernel, equal on x86-64 and 64-bit ARM.
struct KernelAction {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};

MUSTER_CHILD int Failed(SpawnPlan& plan, SpawnStep step, size_t index) {
  plan.error = errno;
  plan.index = index;
  plan.failed = step;
  return 127;
}

// Signal handlers of the parent must not run here, and ignored signals would stay ignored after
// exec.
MUSTER_CHILD void ResetSignals() {
  KernelAction action{};
  for (int signal = 1; signal <= kSignals; ++signal) {
    ::syscall(SYS_rt_sigaction, signal, &action, nullptr, sizeof action.mask);
  }
}

MUSTER_CHILD void UnblockSignals() {
  const unsigned long none = 0;
  ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, sizeof none);
}

MUSTER_CHILD bool JoinCgroup(const char* procs) {
  const long fd = ::syscall(SYS_openat, AT_FDCWD, procs, O_WRONLY | O_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool joined = ::syscall(SYS_write, fd, "0", 1) == 1;
  const int error = errno;
  ::syscall(SYS_close, fd);
  errno = error;
  return joined;
}

MUSTER_CHILD void CloseFrom(int first, int end) {
  if (::syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  for (int fd = first; fd < end; ++fd) ::syscall(SYS_close, fd);
}

}  // namespace

MUSTER_CHILD int SpawnChild(void* argument) {
  SpawnPlan& plan = *static_cast<SpawnPlan*>(argument);
  ResetSignals();
  if (plan.new_session && ::syscall(SYS_setsid) < 0) return Failed(plan, SpawnStep::kSession, 0);
  if (plan.new_group && ::syscall(SYS_setpgid, 0, 0) < 0)
    return Failed(plan, SpawnStep::kSession, 0);
  for (size_t i = 0; i < plan.cgroup_count; ++i) {
    if (!JoinCgroup(plan.cgroup_procs[i])) return Failed(plan, SpawnStep::kCgroup, i);
  }
  for (size_t i = 0; i < plan.limit_count; ++i) {
    const SpawnLimit& limit = plan.limits[i];
    if (::syscall(SYS_prlimit64, 0, limit.resource, &limit.value, nullptr) != 0) {
      return Failed(plan, SpawnStep::kLimit, i);
    }
  }
  if (plan.cwd != nullptr && ::syscall(SYS_chdir, plan.cwd) != 0) {
    return Failed(plan, SpawnStep::kChdir, 0);
  }
  for (int fd = 0; fd < 3; ++fd) {
    if (::syscall(SYS_dup3, plan.fds[fd], fd, 0) < 0) {
      return Failed(plan, SpawnStep::kDescriptors, size_t(fd));
    }
  }
  CloseFrom(3, plan.descriptor_end);
  UnblockSignals();
  ::syscall(SYS_execve, plan.program, plan.argv, plan.env);
  return Failed(plan, SpawnStep::kExec, 0);
}

}  // namespace muster::os
