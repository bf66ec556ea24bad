#include "launcher/nursery.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <utility>

#include "launcher/companions.h"
#include "launcher/supervisor.h"
#include "launcher/warm_launcher.h"
#include "os/cgroup.h"
#include "os/fd.h"
#include "os/packet.h"

namespace muster::launcher {
namespace {

constexpr int kSocket = STDIN_FILENO;

os::Fd servers_end;  // of the new launcher's line; in the process that forks it

void Answer(int pid) { (void)os::SendPacket(kSocket, pid, servers_end.get()); }

// In a process of its own: becomes the supervisor, or the launcher below it.
[[noreturn]] void Launch(std::span<char> title, const std::string& request,
                         std::pair<os::Fd, os::Fd> line) {
  servers_end = std::move(line.first);
  const int error = ForkBelowSupervisor(title, Answer);
  if (error == 0) BeLauncher(title, request, line.second.get());
  (void)os::SendPacket(kSocket, error, -1);
  _exit(1);
}

// False when the server is gone.
bool Serve(std::span<char> title) {
  std::array<char, kLargestRequest> request{};
  const ssize_t got = recv(kSocket, request.data(), request.size(), 0);
  if (got <= 0) return got < 0 && errno == EINTR;
  auto line = os::PacketPair();
  const pid_t pid = line ? fork() : -1;
  if (pid < 0) return os::SendPacket(kSocket, line ? -errno : -line.error().sys, -1);
  if (pid == 0) Launch(title, std::string(request.data(), size_t(got)), std::move(*line));
  return true;  // the supervisor answers
}

}  // namespace

int RunNursery(std::span<char> title) {
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ended, nullptr);
  // Ctrl-C reaches the whole process group of the server, which handles it.
  signal(SIGINT, SIG_IGN);
  const os::Fd reaper(signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!reaper) return 1;
  // Prepared once here, inherited by all launchers.
  os::PrepareCgroups();
  KnowCompanions();
  while (true) {
    std::array<pollfd, 2> watched = {{{kSocket, POLLIN, 0}, {reaper.get(), POLLIN, 0}}};
    const int ready = poll(watched.data(), watched.size(), -1);
    if (ready < 0 && errno != EINTR) return 1;
    if (ready <= 0) continue;
    signalfd_siginfo info;
    while (read(reaper.get(), &info, sizeof info) == sizeof info) continue;
    while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
    if (watched[0].revents != 0 && !Serve(title)) return 0;
  }
}

}  // namespace muster::launcher
