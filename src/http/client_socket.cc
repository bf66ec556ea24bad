#include "http/client_socket.h"

#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "http/near.h"

namespace muster::http {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Kind = Wire::Step::Kind;

struct AddressList {
  struct Deleter {
    void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
  };
  std::unique_ptr<addrinfo, Deleter> head;
};

int64_t LeftMs(SteadyClock::time_point deadline) {
  return std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
}

// True if one of `events` occurred; false after the timeout.
bool Poll(int fd, short events, int64_t timeout_ms) {
  const auto deadline =
      SteadyClock::now() + std::chrono::milliseconds(std::max<int64_t>(timeout_ms, 0));
  while (true) {
    const int64_t left = std::clamp<int64_t>(LeftMs(deadline), 0, std::numeric_limits<int>::max());
    pollfd entry = {fd, events, 0};
    const int n = ::poll(&entry, 1, static_cast<int>(left));
    if (n > 0) return true;
    if (n == 0 || errno != EINTR) return false;
  }
}

Result<AddressList> Lookup(const std::string& host, int port) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error != 0) {
    return Fail(Code::kUnavailable,
                fmt::format("cannot find the server {}: {}", HostPort(host, port),
                            error == EAI_SYSTEM ? std::generic_category().message(errno)
                                                : ::gai_strerror(error)),
                "check the host's name, or give its address");
  }
  return AddressList{decltype(AddressList::head)(list)};
}

// A connected socket, or errno.
std::expected<os::Fd, int> ConnectTo(const addrinfo& address, int64_t timeout_ms) {
  os::Fd fd(::socket(address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
                     address.ai_protocol));
  if (!fd) return std::unexpected(errno);
  if (::connect(fd.get(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return std::unexpected(errno);
    if (!Poll(fd.get(), POLLOUT, timeout_ms)) return std::unexpected(ETIMEDOUT);
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return std::unexpected(error);
  }
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (IsNear(fd.get())) TuneForNear(fd.get());
  return fd;
}

Result<os::Fd> ConnectToAny(const Url& url, int64_t timeout_ms) {
  const auto deadline = SteadyClock::now() + std::chrono::milliseconds(timeout_ms);
  // Resolved without a hosts file, which some containers lack.
  const bool local = Lower(url.host) == "localhost";
  std::vector<std::string> names = {url.host};
  if (local) names = {"127.0.0.1", "::1"};
  int first_error = 0;
  for (const std::string& name : names) {
    MUSTER_ASSIGN(const AddressList list, Lookup(name, url.port));
    for (const addrinfo* a = list.head.get(); a != nullptr; a = a->ai_next) {
      auto fd = ConnectTo(*a, LeftMs(deadline));
      if (fd) return std::move(*fd);
      if (first_error == 0) first_error = fd.error();
    }
  }
  auto failure = FailErrno(first_error, fmt::format("connect to {}", HostPort(url.host, url.port)));
  if (failure.error().code == Code::kIo) failure.error().code = Code::kUnavailable;
  failure.error().next = "check that the server runs and that the address is right";
  return failure;
}

void Drop(std::vector<std::string_view>& parts, size_t bytes) {
  for (std::string_view& part : parts) {
    const size_t cut = std::min(part.size(), bytes);
    part.remove_prefix(cut);
    bytes -= cut;
  }
  std::erase_if(parts, [](std::string_view part) { return part.empty(); });
}

}  // namespace

ClientSocket::ClientSocket(os::Fd fd, const Url& url, const TlsContext* tls)
    : fd_(std::move(fd)),
      server_(HostPort(url.host, url.port)),
      wire_(tls != nullptr ? Wire(fd_.get(), tls->Connect(fd_.get(), url.host)) : Wire(fd_.get())) {
}

Result<std::unique_ptr<ClientSocket>> ClientSocket::Connect(const Url& url, const TlsContext* tls,
                                                            int64_t timeout_ms) {
  MUSTER_ASSIGN(os::Fd fd, ConnectToAny(url, timeout_ms));
  std::unique_ptr<ClientSocket> socket(new ClientSocket(std::move(fd), url, tls));
  if (tls != nullptr) {
    if (!socket->wire_.secure()) {
      return Fail(Code::kInternal,
                  fmt::format("cannot set up TLS to {}: {}", socket->server_, TakeTlsReason()));
    }
    MUSTER_TRY(socket->Handshake(timeout_ms));
  }
  return socket;
}

Status ClientSocket::Handshake(int64_t timeout_ms) {
  const auto deadline = SteadyClock::now() + std::chrono::milliseconds(timeout_ms);
  while (true) {
    const Wire::Step step = wire_.Handshake();
    if (step.done()) return {};
    if (wire_.distrusted()) {
      return Fail(Code::kDenied,
                  fmt::format("cannot trust the server {}: {}", server_, wire_.reason()),
                  "set SSL_CERT_FILE to the PEM file of the authority that signed its certificate, "
                  "and use the host name that is in it");
    }
    MUSTER_TRY(Wait(step, "set up TLS to", LeftMs(deadline)));
  }
}

Status ClientSocket::Wait(const Wire::Step& step, std::string_view what, int64_t timeout_ms) {
  if (step.kind == Kind::kEnd || step.kind == Kind::kFailed) {
    if (step.error != 0) return FailErrno(step.error, fmt::format("{} {}", what, server_));
    return Fail(Code::kUnavailable, fmt::format("cannot {} {}: {}", what, server_, wire_.reason()));
  }
  if (Poll(fd_.get(), step.kind == Kind::kWantRead ? POLLIN : POLLOUT, timeout_ms)) return {};
  return Fail(Code::kTimeout, fmt::format("cannot {} {}: nothing moved in time", what, server_),
              "check that the server is not overloaded or stopped, then try again");
}

Result<size_t> ClientSocket::Read(std::span<char> into, int64_t timeout_ms) {
  const auto deadline = SteadyClock::now() + std::chrono::milliseconds(timeout_ms);
  while (true) {
    const Wire::Step step = wire_.Read(into);
    if (step.done()) return step.bytes;
    if (step.kind == Kind::kEnd) return 0;
    if (step.kind == Kind::kWantRead && wire_.waits_for_bytes() &&
        !Poll(fd_.get(), POLLIN, std::min(patience_ms_, LeftMs(deadline)))) {
      wire_.WaitForBytes(1);  // the body arrives slowly
      continue;
    }
    MUSTER_TRY(Wait(step, "read from", LeftMs(deadline)));
  }
}

Status ClientSocket::Write(std::span<const std::string_view> parts, int64_t timeout_ms) {
  std::vector<std::string_view> left(parts.begin(), parts.end());
  Drop(left, 0);
  while (!left.empty()) {
    const Wire::Step step = wire_.Write(left);
    if (step.done()) {
      Drop(left, step.bytes);
    } else {
      MUSTER_TRY(Wait(step, "write to", timeout_ms));
    }
  }
  return {};
}

}  // namespace muster::http
