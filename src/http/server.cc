#include "http/server.h"

#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "http/asio_loop.h"
#include "http/listener.h"
#include "http/server_core.h"
#include "http/url.h"
#include "os/net.h"

namespace muster::http {
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

class AsioServer final : public Server {
 public:
  AsioServer(ServerOptions options, Entrance entrance, bool loopback, std::optional<TlsContext> tls,
             std::shared_ptr<Crew> crew)
      : entrance_(entrance),
        loopback_(loopback),
        core_(
            std::move(options), entrance, loopback, std::move(tls), std::move(crew),
            [this](os::Fd socket, Crew::Seat seat) { Take(std::move(socket), std::move(seat)); }) {
    core_.loop = &loop_;
    core_.on_drained = [this] { loop_.Stop(); };
  }

  static Result<std::unique_ptr<AsioServer>> Make(ServerOptions options, Entrance entrance,
                                                  bool loopback, std::shared_ptr<Crew> crew);
  Status Open(const tcp::endpoint& endpoint) {
    MUSTER_ASSIGN(AcceptorPtr acceptor, Listen(loop_.context(), endpoint));
    Accept(std::move(acceptor));
    return {};
  }
  Result<std::unique_ptr<Server>> Another() override;

  os::Loop& loop() override { return loop_; }
  int port() const override { return bound_.port(); }
  std::string url() const override {
    const auto address = bound_.address();
    return fmt::format(
        "{}://{}", core_.tls ? "https" : "http",
        HostPort(address.is_unspecified() ? os::HostName() : address.to_string(), bound_.port()));
  }
  void Run() override {
    // Shutdown was called before Run.
    const bool over = core_.draining && core_.connections.empty();
    if (!over) loop_.Run();
  }
  void Shutdown(int64_t drain_ms) override;
  Stats stats() const override {
    return {static_cast<int>(core_.connections.size()), core_.streams, core_.requests};
  }

 private:
  void Accept(AcceptorPtr acceptor) {
    bound_ = acceptor->local_endpoint();
    acceptor_ = acceptor;
    asio::co_spawn(loop_.context(), AcceptConnections(core_, std::move(acceptor)), asio::detached);
  }
  void Take(os::Fd socket, Crew::Seat seat);

  const Entrance entrance_;
  const bool loopback_;
  ServerCore core_;
  tcp::endpoint bound_;
  std::weak_ptr<tcp::acceptor> acceptor_;  // owned by the accepting coroutine
  AsioLoop loop_;  // the last member: destroyed first, together with all coroutines
};

// Sockets in the queue of a stopped loop are closed with it.
void AsioServer::Take(os::Fd socket, Crew::Seat seat) {
  const auto both =
      std::make_shared<std::pair<os::Fd, Crew::Seat>>(std::move(socket), std::move(seat));
  loop_.Post([this, both] {
    tcp::socket here(loop_.context());
    boost::system::error_code error;
    here.assign(bound_.protocol(), both->first.get(), error);
    if (error) return;
    both->first.Release();
    Admit(core_, std::move(here), std::move(both->second));
  });
}

Result<std::unique_ptr<Server>> AsioServer::Another() {
  const auto mine = acceptor_.lock();
  if (!mine || !mine->is_open())
    return Fail(Code::kConflict, "the server does not listen any more");
  MUSTER_ASSIGN(auto server, Make(core_.options, entrance_, loopback_, core_.crew));
  MUSTER_ASSIGN(AcceptorPtr shared, ShareListener(server->loop_.context(), mine->native_handle()));
  server->Accept(std::move(shared));
  return server;
}

void AsioServer::Shutdown(int64_t drain_ms) {
  core_.draining = true;
  core_.crew->Leave(core_.member);
  if (const auto acceptor = acceptor_.lock()) {
    boost::system::error_code ignored;
    acceptor->close(ignored);
  }
  if (core_.connections.empty()) return loop_.Stop();
  for (Connection* connection : core_.connections) connection->Interrupt();
  loop_.After(drain_ms, [this] {
    for (Connection* connection : core_.connections) connection->Abort();
  });
}

Status CheckOptions(const ServerOptions& options, bool loopback) {
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    return Fail(Code::kInvalid,
                fmt::format("TLS was given a {} without a {}",
                            options.tls_key.empty() ? "certificate" : "key",
                            options.tls_key.empty() ? "key" : "certificate"),
                "give both PEM files, or none");
  }
  if (!loopback && options.tls_certificate.empty()) {
    return Fail(
        Code::kDenied,
        fmt::format("refused to listen on {} without TLS: tokens and code would cross the "
                    "network in the clear",
                    HostPort(options.host, options.port)),
        "give a TLS certificate and key, or listen on 127.0.0.1 and reach it through an SSH "
        "tunnel (ssh -L)");
  }
  return {};
}

Result<std::unique_ptr<AsioServer>> AsioServer::Make(ServerOptions options, Entrance entrance,
                                                     bool loopback, std::shared_ptr<Crew> crew) {
  std::optional<TlsContext> tls;
  if (!options.tls_certificate.empty()) {
    MUSTER_ASSIGN(tls, TlsContext::ForServer(options.tls_certificate, options.tls_key));
  }
  try {
    return std::make_unique<AsioServer>(std::move(options), entrance, loopback, std::move(tls),
                                        std::move(crew));
  } catch (const boost::system::system_error& error) {  // no descriptor left for an event loop
    return FailErrno(error.code().value(), "make an event loop");
  }
}

Result<std::unique_ptr<Server>> First(ServerOptions options, Entrance entrance) {
  MUSTER_ASSIGN(const tcp::endpoint endpoint, ResolveListenAddress(options.host, options.port));
  const bool loopback = endpoint.address().is_loopback();
  MUSTER_TRY(CheckOptions(options, loopback));
  MUSTER_ASSIGN(auto server,
                AsioServer::Make(std::move(options), entrance, loopback, std::make_shared<Crew>()));
  MUSTER_TRY(server->Open(endpoint));
  return server;
}

}  // namespace

Result<std::unique_ptr<Server>> Server::Create(ServerOptions options, const Router& router) {
  return First(std::move(options), {.router = &router});
}
Result<std::unique_ptr<Server>> Server::Create(ServerOptions options, Service& service) {
  return First(std::move(options), {.service = &service});
}

}  // namespace muster::http
