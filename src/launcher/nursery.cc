#include "launcher/nursery.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "launcher/companions.h"
#include "launcher/warm_launcher.h"
#include "os/cgroup.h"
#include "os/fd.h"
#include "os/packet.h"

namespace muster::launcher {
namespace {

constexpr int kSocket = STDIN_FILENO;
// Of those that may come back for another order, busy ones included: each has a descriptor here.
constexpr size_t kMostWarm = 256;
constexpr int kIdleMs = 5000;  // nobody stands around for longer

// Notices when the machine gets other mounts, or another hosts file.
class MachineLook {
 public:
  MachineLook() : mounts_(open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)) { Changed(); }

  bool Changed() {
    pollfd mounts{mounts_.get(), POLLPRI, 0};
    const bool mounted = !mounts_ || poll(&mounts, 1, 0) != 0;
    struct stat info{};
    (void)stat("/etc/hosts", &info);
    const HostsFile now{info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
    return std::exchange(hosts_, now) != now || mounted;
  }

 private:
  using HostsFile = std::tuple<ino_t, off_t, time_t, long>;
  os::Fd mounts_;
  HostsFile hosts_;
};

class Nursery {
 public:
  explicit Nursery(std::span<char> title) : title_(title) {}

  int Run(int reaper) {
    while (true) {
      std::vector<pollfd> watched = {{kSocket, POLLIN, 0}, {reaper, POLLIN, 0}};
      bool idle = false;
      for (const Warm& one : warm_) {
        watched.push_back({one.orders.get(), POLLIN, 0});
        idle |= one.idle;
      }
      const int ready = poll(watched.data(), watched.size(), idle ? kIdleMs : -1);
      if (ready < 0 && errno != EINTR) return 1;
      if (ready == 0) std::erase_if(warm_, [](const Warm& one) { return one.idle; });
      if (ready <= 0) continue;
      signalfd_siginfo info;
      while (read(reaper, &info, sizeof info) == sizeof info) continue;
      while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
      for (size_t i = 2; i < watched.size(); ++i)
        if (watched[i].revents != 0) Hear(watched[i].fd);
      if (watched[0].revents != 0 && !Serve()) return 0;
    }
  }

 private:
  using Ground = std::optional<std::string>;
  struct Warm {
    pid_t pid;
    os::Fd orders;
    Ground ground;       // what it is, or becomes by the order that it has
    bool stale = false;  // what it became is no longer what the machine has
    bool idle = false;
  };

  // A launcher is done with its order, or gone.
  void Hear(int orders) {
    const auto one = std::ranges::find(warm_, orders, [](const Warm& w) { return w.orders.get(); });
    if (one == warm_.end()) return;
    if (os::ReceivePacket(orders) && !one->stale) {
      one->idle = true;
    } else {
      warm_.erase(one);
    }
  }

  // False when the other side is gone.
  bool Serve() {
    std::array<char, size_t{2} * PATH_MAX> request{};
    const ssize_t got = recv(kSocket, request.data(), request.size(), 0);
    if (got <= 0) return got < 0 && errno == EINTR;
    std::string node_dir(request.data(), size_t(got));
    Ground ground;
    if (const size_t end = node_dir.find('\0'); end != std::string::npos) {
      ground = node_dir.substr(end + 1);
      node_dir.resize(end);
    }
    if (machine_.Changed()) DropVirtual();
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return os::SendPacket(kSocket, -errno, -1);
    const os::Fd told(ends[0]), ended(ends[1]);
    pid_t pid = HandOver(node_dir, ground, ended.get());
    if (pid == 0) pid = Fork(node_dir, ground, ended.get());
    return os::SendPacket(kSocket, pid, pid > 0 ? told.get() : -1);
  }

  // Virtual nodes have a hosts file with the machine's own in it, and mounts of their own: what the
  // machine has changed since would be missed there.
  void DropVirtual() {
    for (Warm& one : warm_) one.stale |= one.ground && !one.ground->empty();
    std::erase_if(warm_, [](const Warm& one) { return one.stale && one.idle; });
  }

  // One that is what the order asks for, or else one that can still become it.
  std::vector<Warm>::iterator FindIdle(const Ground& ground) {
    const auto is_idle = [&](const Ground& wanted) {
      return std::ranges::find_if(
          warm_, [&](const Warm& one) { return one.idle && one.ground == wanted; });
    };
    const auto same = ground ? is_idle(ground) : warm_.end();
    return same != warm_.end() ? same : is_idle("");
  }

  // To one that is idle: its pid, or 0 when there is none.
  pid_t HandOver(const std::string& node_dir, const Ground& ground, int ended) {
    while (true) {
      const auto one = FindIdle(ground);
      if (one == warm_.end()) return 0;
      if (SendOrder(one->orders.get(), node_dir, ended)) {
        one->idle = false;
        one->ground = ground;
        return one->pid;
      }
      warm_.erase(one);
    }
  }

  // The pid, or minus errno.
  pid_t Fork(const std::string& node_dir, const Ground& ground, int ended) {
    std::pair<os::Fd, os::Fd> orders;
    if (warm_.size() >= kMostWarm) LetOneGo();
    if (warm_.size() < kMostWarm)
      if (auto pair = os::PacketPair()) orders = std::move(*pair);
    const pid_t pid = fork();
    if (pid < 0) return -errno;
    if (pid == 0) BeLauncher(title_, node_dir, orders.second.get(), ended);
    if (orders.first) warm_.push_back({pid, std::move(orders.first), ground});
    return pid;
  }

  // The ground of whoever is idle now is not what is asked for.
  void LetOneGo() {
    const auto one = std::ranges::find(warm_, true, &Warm::idle);
    if (one != warm_.end()) warm_.erase(one);
  }

  const std::span<char> title_;
  MachineLook machine_;
  std::vector<Warm> warm_;
};

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
  return Nursery(title).Run(reaper.get());
}

}  // namespace muster::launcher
