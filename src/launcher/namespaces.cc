#include "launcher/namespaces.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "os/file.h"

namespace muster::launcher {
namespace {

Status WriteMap(const char* path, const std::string& text) {
  MUSTER_ASSIGN(const os::Fd file, os::Open(path, O_WRONLY));
  return os::WriteAll(file.get(), text);
}

// Without this a mount would be visible outside.
Status Detach() {
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return FailErrno(errno, "take mounts apart from the machine's");
  return {};
}

Status ByRight() {
  if (unshare(CLONE_NEWNS) != 0) return FailErrno(errno, "make a mount namespace");
  return Detach();
}

Status ByUserNamespace() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return FailErrno(errno, "make a user namespace");
  MUSTER_TRY(WriteMap("/proc/self/setgroups", "deny"));
  MUSTER_TRY(WriteMap("/proc/self/uid_map", fmt::format("{0} {0} 1\n", user)));
  MUSTER_TRY(WriteMap("/proc/self/gid_map", fmt::format("{0} {0} 1\n", group)));
  return Detach();
}

// A user namespace cannot be left, so a child process tests whether it works.
bool UserNamespaceWorks() {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) _exit(ByUserNamespace() ? 0 : 1);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Status OwnMounts() {
  Status status = ByRight();
  if (status || status.error().sys != EPERM || !UserNamespaceWorks()) return status;
  return ByUserNamespace();
}

}  // namespace muster::launcher
