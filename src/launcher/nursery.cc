#include "launcher/nursery.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <string>

#include "launcher/companions.h"
#include "launcher/warm_launcher.h"
#include "os/cgroup.h"
#include "os/fd.h"
#include "os/packet.h"

namespace muster::launcher {
namespace {

constexpr int kSocket = STDIN_FILENO;

// False when the other side is gone.
bool Serve(std::span<char> title) {
  std::array<char, PATH_MAX> request{};
  const ssize_t got = recv(kSocket, request.data(), request.size(), 0);
  if (got <= 0) return got < 0 && errno == EINTR;
  auto line = os::PacketPair();
  const pid_t pid = line ? fork() : -1;
  if (pid < 0) return os::SendPacket(kSocket, line ? -errno : -line.error().sys, -1);
  if (pid == 0) BeLauncher(title, std::string(request.data(), size_t(got)), line->second.get());
  return os::SendPacket(kSocket, pid, line->first.get());
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
  // Done once here, known to all launchers.
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
