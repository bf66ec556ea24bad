#include "launcher/rendezvous.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "http/response_head.h"

namespace muster::launcher {
namespace {

constexpr size_t kMostPeers = 8192;
constexpr int kBacklog = 4096;
constexpr int64_t kMaxHead = 8 << 10;
constexpr int64_t kMaxBody = 16 << 20;
constexpr int64_t kPatienceMs = 30'000;  // for the whole request
constexpr int64_t kPauseMs = 50;
constexpr int kConnectMs = 100;
constexpr size_t kReadSize = 64 << 10;

// Horovod's client supports IPv4 only.
Result<sockaddr_in> AddressOf(const Rendezvous& where) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(uint16_t(where.port));
  if (inet_pton(AF_INET, where.address.c_str(), &address.sin_addr) == 1) return address;
  return Fail(Code::kInvalid,
              fmt::format("ranks cannot meet at {}: Horovod needs an IPv4 address", where.address),
              "give the node an IPv4 address");
}

// Horovod's client compares the header name case-sensitively.
std::string AnswerText(const KeyValue::Answer& answer) {
  return fmt::format("HTTP/1.1 {} {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
                     answer.status, http::ReasonPhrase(answer.status), answer.body.size(),
                     answer.body);
}

}  // namespace

RendezvousServer::~RendezvousServer() {
  loop_.Unwatch(watch_);
  loop_.Cancel(pause_);
  for (auto& [id, peer] : peers_) {
    loop_.Unwatch(peer.watch);
    loop_.Cancel(peer.timer);
    loop_.Cancel(peer.retry);
  }
}

Status RendezvousServer::Listen(const Rendezvous& where) {
  MUSTER_ASSIGN(sockaddr_in address, AddressOf(where));
  listener_ = os::Fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const std::string what = fmt::format("listen at {}:{}", where.address, where.port);
  if (!listener_) return FailErrno(errno, what);
  const int yes = 1;
  (void)setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_.get(), generic, size) != 0 || listen(listener_.get(), kBacklog) != 0 ||
      getsockname(listener_.get(), generic, &size) != 0)
    return FailErrno(errno, what);
  port_ = ntohs(address.sin_port);
  Listen();
  return {};
}

void RendezvousServer::Listen() {
  watch_ = loop_.WatchReadable(listener_.get(), [this] { Accept(); });
}

void RendezvousServer::Accept() {
  while (true) {
    os::Fd socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
      // No connection can be accepted until others end; the socket stays readable meanwhile.
      loop_.Unwatch(std::exchange(watch_, 0));
      pause_ = loop_.After(kPauseMs, [this] { pause_ = 0, Listen(); });
    }
    if (!socket) return;
    if (peers_.size() >= kMostPeers) continue;  // closed; the client tries again
    const Id id = next_id_++;
    Peer& peer = peers_[id];
    peer.socket = std::move(socket);
    peer.parser = std::make_unique<http::RequestParser>(kMaxHead, peer.request);
    peer.watch = loop_.WatchReadable(peer.socket.get(), [this, id] { OnReadable(id); });
    peer.timer = loop_.After(kPatienceMs, [this, id] { Close(id); });
  }
}

void RendezvousServer::OnReadable(Id id) {
  const auto it = peers_.find(id);
  if (it == peers_.end()) return;
  Peer& peer = it->second;
  char buffer[kReadSize];
  const ssize_t got = read(peer.socket.get(), buffer, sizeof buffer);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return Close(id);
  if (!peer.answer.empty()) return;  // bytes after the request are ignored
  peer.bytes.append(buffer, size_t(got));
  if (Parse(peer)) Answer(id);
}

// Whether a response is due: the request is complete or invalid.
bool RendezvousServer::Parse(Peer& peer) {
  const auto refuse = [&](const http::Response& response) {
    peer.answer = AnswerText({response.status, {}});
    return true;
  };
  if (!peer.parser->head_done()) {
    const auto used = peer.parser->Head(peer.bytes);
    if (!used) return refuse(used.error());
    peer.bytes.erase(0, *used);
    if (!peer.parser->head_done()) return false;
    if (peer.parser->content_length() > kMaxBody) return refuse({.status = 413});
  }
  const auto used = peer.parser->Body(peer.bytes, [&](std::string_view piece) -> Status {
    if (int64_t(peer.request.body.size() + piece.size()) > kMaxBody)
      return Fail(Code::kTooLarge, "too much for one key");
    if (arriving_ + int64_t(piece.size()) > most_arriving_)
      return Fail(Code::kTooLarge, "too much from all ranks at once");
    arriving_ += int64_t(piece.size());
    peer.request.body += piece;
    return {};
  });
  if (!used) return refuse(used.error());
  peer.bytes.erase(0, *used);
  return peer.parser->done();
}

void RendezvousServer::Answer(Id id) {
  Peer& peer = peers_.at(id);
  if (peer.answer.empty()) {
    const auto& request = peer.request;
    peer.answer = AnswerText(store_.Handle(request.method, request.raw_target, request.body));
  }
  Send(id);
}

void RendezvousServer::Send(Id id) {
  const auto it = peers_.find(id);
  if (it == peers_.end()) return;
  Peer& peer = it->second;
  while (peer.sent < peer.answer.size()) {
    const ssize_t more = send(peer.socket.get(), peer.answer.data() + peer.sent,
                              peer.answer.size() - peer.sent, MSG_NOSIGNAL);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0 && errno == EAGAIN) {
      peer.retry = loop_.After(1, [this, id] { Send(id); });  // a large response and a slow reader
      return;
    }
    if (more <= 0) return Close(id);
    peer.sent += size_t(more);
  }
  Close(id);
}

void RendezvousServer::Close(Id id) {
  const auto it = peers_.find(id);
  if (it == peers_.end()) return;
  loop_.Unwatch(it->second.watch);
  loop_.Cancel(it->second.timer);
  loop_.Cancel(it->second.retry);
  arriving_ -= int64_t(it->second.request.body.size());
  peers_.erase(it);
}

bool CanConnect(const Rendezvous& where) {
  auto address = AddressOf(where);
  if (!address) return false;
  const os::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return false;
  if (connect(socket.get(), reinterpret_cast<sockaddr*>(&*address), sizeof *address) == 0)
    return true;
  if (errno != EINPROGRESS) return false;
  pollfd wait{.fd = socket.get(), .events = POLLOUT, .revents = 0};
  if (poll(&wait, 1, kConnectMs) != 1) return false;
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

}  // namespace muster::launcher
