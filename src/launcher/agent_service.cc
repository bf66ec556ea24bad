#include "launcher/agent_service.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "model/exit_report.h"

namespace muster::launcher {
namespace {

constexpr int kCannotRun = 255;
constexpr size_t kMostCallers = 1024;

bool IsSameUser(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

// Takes ownership of every descriptor that arrived with a message, and closes those beyond three.
void TakeFiles(msghdr& message, std::vector<os::Fd>& files) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
      os::Fd file(fd);
      if (files.size() < size_t(kAgentFiles)) files.push_back(std::move(file));
    }
  }
}

}  // namespace

AgentService::AgentService(os::Loop& loop, const NodeOrder& order, const Starter& starter)
    : loop_(loop), order_(order), starter_(starter) {}

AgentService::~AgentService() {
  loop_.Unwatch(watch_);
  for (auto& [id, caller] : callers_) loop_.Unwatch(caller.watch);
}

Status AgentService::Listen() {
  MUSTER_ASSIGN(listener_, ListenForAgents(order_.dir));
  watch_ = loop_.WatchReadable(listener_.get(), [this] { Accept(); });
  return {};
}

void AgentService::Accept() {
  while (true) {
    os::Fd socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return;
    if (!IsSameUser(socket.get()) || callers_.size() >= kMostCallers) {
      LogWarning("a caller of the agent's socket was refused");
      continue;
    }
    const Id id = next_id_++;
    Caller& caller = callers_[id];
    caller.socket = std::move(socket);
    caller.watch = loop_.WatchReadable(caller.socket.get(), [this, id] { OnReadable(id); });
  }
}

// Returns false if the caller has disconnected.
bool AgentService::Receive(Caller& caller) {
  char buffer[65536];
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 16)];
  iovec part{buffer, sizeof buffer};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(caller.socket.get(), &message, MSG_CMSG_CLOEXEC);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  TakeFiles(message, caller.files);
  if (caller.pid < 0) caller.bytes.append(buffer, size_t(got));
  return got > 0;
}

void AgentService::OnReadable(Id id) {
  const auto it = callers_.find(id);
  if (it == callers_.end()) return;
  Caller& caller = it->second;
  if (!Receive(caller)) return HangUp(id);
  if (caller.pid > 0 || caller.bytes.size() < kAgentHeader) return;
  const uint32_t size = AgentPayloadSize(caller.bytes);
  if (size > kAgentLargest) return HangUp(id);
  if (caller.bytes.size() >= kAgentHeader + size) Begin(id);
}

void AgentService::Begin(Id id) {
  Caller& caller = callers_.at(id);
  const auto request = DecodeAgentPayload(std::string_view(caller.bytes).substr(kAgentHeader));
  if (!request) return Answer(id, kCannotRun, request.error().text);
  if (!open_) return Answer(id, kCannotRun, "the job is being stopped");
  if (caller.files.size() != size_t(kAgentFiles))
    return Answer(id, kCannotRun, "the request came without descriptors");
  const auto pid = Run(*request, caller.files);
  if (!pid) return Answer(id, kCannotRun, pid.error().text);
  caller.pid = *pid;
  caller.files.clear();
  caller.bytes.clear();
}

Result<pid_t> AgentService::Run(const AgentRequest& request,
                                const std::vector<os::Fd>& files) const {
  Starter::Command command{.argv = {"/bin/sh", "-c", Join(request.words, " ")},
                           .env = Environment::Of(request.env),
                           .cwd = request.cwd,
                           .stdin_fd = files[0].get(),
                           .stdout_fd = files[1].get(),
                           .stderr_fd = files[2].get()};
  // Variables of the calling node must not override those of this node.
  command.env.Set(order_.env);
  MUSTER_ASSIGN(const os::Child child, starter_.Start(std::move(command)));
  return child.pid;
}

// The caller ended before its command: the command receives SIGHUP, as from a closed terminal.
void AgentService::HangUp(Id id) {
  const auto it = callers_.find(id);
  if (it->second.pid > 0) killpg(it->second.pid, SIGHUP);
  loop_.Unwatch(it->second.watch);
  callers_.erase(it);
}

void AgentService::Answer(Id id, int code, const std::string& message) {
  const auto it = callers_.find(id);
  const std::string answer = fmt::format("{}\n{}", code, message);
  // The answer fits the socket buffer; a caller that has disconnected is ignored.
  (void)send(it->second.socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  loop_.Unwatch(it->second.watch);
  callers_.erase(it);
}

void AgentService::Take(const EndedChild& child) {
  const auto it = std::ranges::find_if(
      callers_, [&](const auto& entry) { return entry.second.pid == child.pid; });
  if (it != callers_.end()) Answer(it->first, ShellExitCode(FromWaitStatus(child.wait_status)), "");
}

void AgentService::Signal(int signal) const {
  for (const auto& [id, caller] : callers_)
    if (caller.pid > 0) killpg(caller.pid, signal);
}

std::set<pid_t> AgentService::Groups() const {
  std::set<pid_t> groups;
  for (const auto& [id, caller] : callers_)
    if (caller.pid > 0) groups.insert(caller.pid);
  return groups;
}

}  // namespace muster::launcher
