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
  AsioServer(ServerOptions options, Entrance entrance, bool loopback, std::optional<TlsContext> tls)
      : core_(std::move(options), entrance, loopback, std::move(tls)) {
    core_.loop = &loop_;
    core_.on_drained = [this] { loop_.Stop(); };
  }

  Status Open(const tcp::endpoint& endpoint) {
    const int shared = core_.options.share;
    MUSTER_ASSIGN(AcceptorPtr acceptor, shared >= 0 ? ShareListener(loop_.context(), shared)
                                                    : Listen(loop_.context(), endpoint));
    bound_ = acceptor->local_endpoint();
    acceptor_ = acceptor;
    asio::co_spawn(loop_.context(), AcceptConnections(core_, std::move(acceptor)), asio::detached);
    return {};
  }

  os::Loop& loop() override { return loop_; }
  int port() const override { return bound_.port(); }
  std::string url() const override {
    const auto address = bound_.address();
    return fmt::format(
        "{}://{}", core_.tls ? "https" : "http",
        HostPort(address.is_unspecified() ? os::HostName() : address.to_string(), bound_.port()));
  }
  int listener() const override {
    const auto acceptor = acceptor_.lock();
    return acceptor && acceptor->is_open() ? acceptor->native_handle() : -1;
  }
  void Run() override {
    const bool over = core_.draining && core_.connections.empty();  // Shutdown came first
    if (!over) loop_.Run();
  }
  void Shutdown(int64_t drain_ms) override;
  Stats stats() const override {
    return {static_cast<int>(core_.connections.size()), core_.streams, core_.requests};
  }

 private:
  ServerCore core_;
  tcp::endpoint bound_;
  std::weak_ptr<tcp::acceptor> acceptor_;  // owned by the coroutine that accepts
  AsioLoop loop_;  // last, so that it goes first and takes all coroutines with it
};

void AsioServer::Shutdown(int64_t drain_ms) {
  core_.draining = true;
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

Result<std::unique_ptr<Server>> Make(ServerOptions options, Entrance entrance) {
  MUSTER_ASSIGN(const tcp::endpoint endpoint, ResolveListenAddress(options.host, options.port));
  const bool loopback = endpoint.address().is_loopback();
  MUSTER_TRY(CheckOptions(options, loopback));
  std::optional<TlsContext> tls;
  if (!options.tls_certificate.empty()) {
    MUSTER_ASSIGN(tls, TlsContext::ForServer(options.tls_certificate, options.tls_key));
  }
  auto server =
      std::make_unique<AsioServer>(std::move(options), entrance, loopback, std::move(tls));
  MUSTER_TRY(server->Open(endpoint));
  return server;
}

}  // namespace

Result<std::unique_ptr<Server>> Server::Create(ServerOptions options, const Router& router) {
  return Make(std::move(options), {.router = &router});
}
Result<std::unique_ptr<Server>> Server::Create(ServerOptions options, Service& service) {
  return Make(std::move(options), {.service = &service});
}

}  // namespace muster::http
