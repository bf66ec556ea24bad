#include "launcher/nursery.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <string>

#include "launcher/launcher.h"
#include "os/cgroup_mounts.h"
#include "os/file.h"
#include "os/packet.h"

namespace muster::launcher {
namespace {

constexpr int kSocket = STDIN_FILENO;

void ShowOrder(std::span<char> title, const std::string& node_dir) {
  const std::string text = std::string("--order") + '\0' + node_dir;
  if (text.size() >= title.size()) return;  // a cut path would name another folder
  std::ranges::fill(title, '\0');
  std::ranges::copy(text, title.begin());
}

// As a program started in a session of its own finds itself: nothing of the nursery is left.
void Detach(const std::string& node_dir) {
  setsid();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  close_range(STDERR_FILENO + 1, ~0U, 0);
  const int null = open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  int log = null;
  // RunLauncher says what is wrong with the folder.
  if (chdir(node_dir.c_str()) == 0) log = open("launcher.log", O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (log < 0) log = null;
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, 0);
}

void Reap() {
  while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
}

// False when the other side is gone.
bool Serve(std::span<char> title) {
  std::array<char, PATH_MAX> path{};
  const ssize_t got = recv(kSocket, path.data(), path.size(), 0);
  if (got <= 0) return got < 0 && errno == EINTR;
  const std::string node_dir(path.data(), size_t(got));
  const pid_t pid = fork();
  if (pid == 0) {
    Detach(node_dir);
    ShowOrder(title, node_dir);
    _exit(RunLauncher(node_dir));
  }
  const int error = pid < 0 ? errno : 0;
  // Not reaped before this call returns, so the number is still the launcher's.
  const os::Fd pidfd(pid < 0 ? -1 : int(syscall(SYS_pidfd_open, pid, 0)));
  return os::SendPacket(kSocket, error, pidfd.get());
}

}  // namespace

int RunNursery(std::span<char> title) {
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ended, nullptr);
  signal(SIGINT, SIG_IGN);  // Ctrl-C reaches the server's whole group; the server decides
  const os::Fd reaper(signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!reaper) return 1;
  os::FindCgroupMounts();  // found once here, known to all launchers
  std::array<pollfd, 2> watched = {pollfd{kSocket, POLLIN, 0}, pollfd{reaper.get(), POLLIN, 0}};
  while (true) {
    if (poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return 1;
    signalfd_siginfo info;
    while (read(reaper.get(), &info, sizeof info) == sizeof info) continue;
    Reap();
    if (watched[0].revents != 0 && !Serve(title)) return 0;
  }
}

}  // namespace muster::launcher
