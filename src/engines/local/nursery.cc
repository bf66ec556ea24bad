#include "engines/local/nursery.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include <fmt/format.h>

#include "base/log.h"
#include "os/packet.h"

namespace muster::engines {
namespace {

constexpr int kTries = 3;
// Far more than a fork takes on the most loaded machine; a nursery that needs longer hangs.
constexpr timeval kPatience{10, 0};
// Room for the name of a node's folder in the list of processes.
constexpr size_t kTitleRoom = 400;

}  // namespace

Nursery::~Nursery() { Drop(); }

Status Nursery::Start() {
  MUSTER_ASSIGN(auto pair, os::PacketPair());
  if (::setsockopt(pair.first.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience) != 0)
    return FailErrno(errno, "limit the wait for a launcher");
  os::SpawnOptions options;
  options.argv = {muster_, "launch", "--nursery", std::string(kTitleRoom, ' ')};
  options.env = env_;
  options.cwd = "/";
  options.stdin_fd = pair.second.get();
  MUSTER_ASSIGN(child_, os::Spawn(options));
  socket_ = std::move(pair.first);
  return {};
}

// Its launchers live on; one that was asked for and not answered finds the record taken if the next
// nursery is asked again.
void Nursery::Drop() {
  socket_.Reset();
  if (child_.pid <= 0) return;
  ::kill(child_.pid, SIGKILL);
  ::waitpid(child_.pid, nullptr, 0);
  child_ = {};
}

Result<Launcher> Nursery::Ask(const std::string& request) {
  if (::send(socket_.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0)
    return FailErrno(errno, "ask for a launcher");
  auto answer = os::ReceivePacket(socket_.get());
  if (!answer) return Fail(Code::kUnavailable, "the process that forks launchers is gone");
  if (answer->number <= 0 || !answer->fd) return FailErrno(-answer->number, "fork a launcher");
  return Launcher{.pid = answer->number, .ended = std::move(answer->fd), .serves = true};
}

Result<Launcher> Nursery::Fork(const std::string& request) {
  for (int i = 1;; ++i) {
    Status status;
    if (!socket_) status = Start();
    if (status) {
      auto launched = Ask(request);
      if (launched) return launched;
      status = std::unexpected(launched.error());
    }
    Drop();
    if (i == kTries) return std::unexpected(status.error());
    LogWarning("{}; trying again", status.error().text);
  }
}

Result<Launcher> Nursery::Launch(const std::string& node_dir, const std::string& group,
                                 const std::optional<std::string>& ground) {
  const std::string request = node_dir + '\0' + group;
  if (auto waiting = pool_.Take(request, ground)) return std::move(*waiting);
  MUSTER_ASSIGN(Launcher launcher, Fork(request));
  launcher.ground = ground;
  launcher.machine = pool_.machine();
  return launcher;
}

}  // namespace muster::engines
