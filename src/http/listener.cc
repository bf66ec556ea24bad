#include "http/listener.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

#include <fmt/format.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "base/text.h"
#include "http/near.h"
#include "http/session.h"
#include "http/url.h"
#include "os/fd.h"

namespace muster::http {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::chrono::milliseconds kAcceptPause(100);
constexpr int kMostRefusing = 64;
// The limit of unsent bytes in the kernel for peers on other machines.
constexpr int kMostUnsent = 64 << 10;

std::string Name(const tcp::endpoint& endpoint) {
  return HostPort(endpoint.address().to_string(), endpoint.port());
}

// Resolves localhost without a hosts file.
std::string WithoutLookup(const std::string& host) {
  if (host.starts_with('[') && host.ends_with(']')) return host.substr(1, host.size() - 2);
  return host == "localhost" ? "127.0.0.1" : host;
}

// Accepted connections inherit these settings from the listening socket.
void SetForConnections(tcp::acceptor& acceptor, bool loopback) {
  error_code ignored;  // optional: only affects speed
  acceptor.set_option(tcp::no_delay(true), ignored);
  acceptor.set_option(asio::socket_base::keep_alive(true), ignored);
  ::setsockopt(acceptor.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kMostUnsent,
               sizeof kMostUnsent);
  if (loopback) TuneForNear(acceptor.native_handle());
}

// Assigns the connection to the member with the fewest connections.
void Deal(ServerCore& core, tcp::socket socket) {
  Crew::Seat seat = core.crew->TakeSeat(core.member);
  if (seat.member() == &core.member) return Admit(core, std::move(socket), std::move(seat));
  error_code error;
  os::Fd fd(socket.release(error));
  if (!error) seat.member()->Serve(std::move(fd), std::move(seat));
}

// Closes the oldest connection without an authorised request; false: there is none to close.
bool MakeRoom(ServerCore& core) {
  Connection* oldest = core.unauthorised.TakeOldest(std::chrono::steady_clock::now());
  if (oldest != nullptr) oldest->Abort();
  return oldest != nullptr;
}

}  // namespace

void Admit(ServerCore& core, tcp::socket socket, Crew::Seat seat) {
  bool full = std::cmp_greater_equal(core.connections.size(), core.options.max_connections);
  if (full) full = !MakeRoom(core);
  if (full && core.refusing >= kMostRefusing) return;
  const auto executor = socket.get_executor();
  auto connection = std::make_shared<Connection>(std::move(socket), core.tls_or_null(),
                                                 core.scratch, std::move(seat));
  if (full) {
    asio::co_spawn(executor, RefuseConnection(core, std::move(connection)), asio::detached);
  } else {
    const std::string address = connection->address();
    asio::co_spawn(executor, ServeConnection(core, std::move(connection)), asio::detached);
    const auto now = std::chrono::steady_clock::now();
    if (Connection* oldest = core.unauthorised.TakeAboveLimit(address, now)) oldest->Abort();
  }
}

Result<tcp::endpoint> ResolveListenAddress(const std::string& host, int port) {
  if (port < 0 || port > 65535) {
    return Fail(Code::kInvalid, fmt::format("cannot listen on port {}", port),
                "choose one from 1 to 65535, or 0 for any that is free");
  }
  const std::string name = WithoutLookup(host);
  error_code error;
  const auto address = asio::ip::make_address(name, error);
  if (!error) return tcp::endpoint(address, static_cast<unsigned short>(port));
  asio::io_context context;
  const auto found = tcp::resolver(context).resolve(name, std::to_string(port),
                                                    tcp::resolver::numeric_service, error);
  if (error || found.empty() || name.empty()) {
    return Fail(Code::kNotFound,
                fmt::format("cannot listen on \"{}\": {}", Printable(host),
                            error ? error.message() : "no such host"),
                "give an address of this machine, such as 127.0.0.1");
  }
  return found.begin()->endpoint();
}

Result<AcceptorPtr> Listen(asio::io_context& context, const tcp::endpoint& endpoint) {
  auto acceptor = std::make_shared<tcp::acceptor>(context);
  error_code error;
  acceptor->open(endpoint.protocol(), error);
  if (!error) acceptor->set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) SetForConnections(*acceptor, endpoint.address().is_loopback());
  if (!error) acceptor->bind(endpoint, error);
  if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
  if (!error) return acceptor;
  auto failure = FailErrno(error.value(), fmt::format("listen on {}", Name(endpoint)));
  if (error.value() == EADDRINUSE) {
    failure.error().code = Code::kExists;
    failure.error().next = "stop the program that has this port, or choose another";
  } else if (error.value() == EACCES) {
    failure.error().next = "choose a port above 1023";
  }
  return failure;
}

Result<AcceptorPtr> ShareListener(asio::io_context& context, int socket) {
  os::Fd copy(::fcntl(socket, F_DUPFD_CLOEXEC, 0));
  sockaddr_storage name = {};
  socklen_t size = sizeof name;
  if (!copy || ::getsockname(copy.get(), reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    return FailErrno(errno, "share a listening socket");
  }
  auto acceptor = std::make_shared<tcp::acceptor>(context);
  error_code error;
  acceptor->assign(name.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(), copy.get(), error);
  if (error) return FailErrno(error.value(), "share a listening socket");
  copy.Release();
  return acceptor;
}

asio::awaitable<void> AcceptConnections(ServerCore& core, AcceptorPtr acceptor) {
  const auto executor = acceptor->get_executor();
  error_code unknown;
  const bool loopback = acceptor->local_endpoint(unknown).address().is_loopback();
  asio::steady_timer pause(executor);
  bool failing = false;
  while (acceptor->is_open()) {
    auto [error, socket] = co_await acceptor->async_accept(asio::as_tuple(asio::use_awaitable));
    if (!acceptor->is_open()) co_return;
    if (!error) {
      failing = false;
      if (!loopback && IsNear(socket.native_handle())) TuneForNear(socket.native_handle());
      Deal(core, std::move(socket));
      continue;
    }
    // Usually no descriptors are left: pending clients stay in the kernel's queue meanwhile.
    if (!failing) LogWarning("cannot accept connections: {}; trying on", error.message());
    failing = true;
    pause.expires_after(kAcceptPause);
    co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

}  // namespace muster::http
