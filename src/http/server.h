#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "http/gate.h"
#include "http/router.h"
#include "http/service.h"
#include "os/loop.h"

namespace muster::http {

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 0;       // 0 for any free port
  std::string token;  // "Bearer <token>", compared in constant time; empty accepts none
  const SignIn* sign_in = nullptr;       // cookies of browsers; outlives the server
  std::string tls_certificate, tls_key;  // PEM files; both or none
  int max_connections = 4096;
  // Before its first authorised request a connection has less time and, where others of its peer's
  // address need the place, none after the grace. See unauthorised.h.
  int max_unauthorised_per_peer = 256;
  int64_t unauthorised_timeout_ms = 5'000;  // as header_timeout_ms
  int64_t unauthorised_grace_ms = 1'000;
  int64_t max_header = 32 << 10;
  int64_t header_timeout_ms = 15'000;  // from the first byte, or from the end of the last response
  int64_t body_timeout_ms = 60'000;    // without a byte of progress
  int64_t write_timeout_ms = 60'000;   // without a byte of progress
  int64_t keep_alive_ms = 15'000;      // of silence in a stream before its KeepAlive is sent
};

// HTTP/1.1 over TCP or TLS on one thread. Refuses to listen beyond loopback without TLS, with an
// error that says how to proceed.
class Server {
 public:
  // `router` outlives the server; routes may be added until Run.
  static Result<std::unique_ptr<Server>> Create(ServerOptions options, const Router& router);
  // As above, for a service that receives every request.
  static Result<std::unique_ptr<Server>> Create(ServerOptions options, Service& service);
  // Another server with the same service, options and socket, and a separate loop and thread;
  // connections are distributed. All of them exist until none accepts any more.
  virtual Result<std::unique_ptr<Server>> Another() = 0;
  virtual ~Server() = default;

  virtual os::Loop& loop() = 0;         // the event loop of the process; valid until destruction
  virtual int port() const = 0;         // bound when Create returns
  virtual std::string url() const = 0;  // "http://127.0.0.1:4711"
  // Runs the loop until Shutdown, then finishes pending responses for at most `drain_ms`.
  virtual void Run() = 0;
  virtual void Shutdown(int64_t drain_ms) = 0;  // on the loop's thread
  struct Stats {
    int connections = 0;
    int streams = 0;
    int64_t requests = 0;
  };
  virtual Stats stats() const = 0;
};

}  // namespace muster::http
