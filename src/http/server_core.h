#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_set>
#include <utility>

#include "http/connection.h"
#include "http/crew.h"
#include "http/gate.h"
#include "http/response_head.h"
#include "http/server.h"
#include "http/service.h"
#include "http/tls.h"
#include "http/unauthorised.h"

namespace muster::http {

// The destination of requests: a router or a service.
struct Entrance {
  const Router* router = nullptr;
  Service* service = nullptr;
};

// The state shared by the listener and the sessions of a server. Used on its loop only; outlives
// them all.
struct ServerCore {
  ServerCore(ServerOptions given, Entrance entrance, bool loopback,
             std::optional<TlsContext> secure, std::shared_ptr<Crew> all, Crew::Member::Take take)
      : options(std::move(given)),
        router(entrance.router),
        service(entrance.service),
        gate(options.token, loopback, options.sign_in),
        tls(std::move(secure)),
        crew(std::move(all)),
        member(std::move(take)),
        unauthorised(static_cast<size_t>(options.max_unauthorised_per_peer),
                     std::chrono::milliseconds(options.unauthorised_grace_ms)),
        heads(clock) {
    crew->Join(member);
  }
  ~ServerCore() { crew->Leave(member); }
  ServerCore(const ServerCore&) = delete;
  ServerCore& operator=(const ServerCore&) = delete;

  const TlsContext* tls_or_null() const { return tls ? &*tls : nullptr; }
  // The time for a request's head.
  int64_t HeaderTimeout(const Connection& connection) const {
    if (!unauthorised.Has(connection)) return options.header_timeout_ms;
    return std::min(options.header_timeout_ms, options.unauthorised_timeout_ms);
  }

  const ServerOptions options;
  const Router* const router;  // exactly one of the two is set
  Service* const service;
  const Gate gate;
  const std::optional<TlsContext> tls;
  const SystemClock clock;
  const std::shared_ptr<Crew> crew;  // shared by its members
  Crew::Member member;
  UnauthorisedConnections unauthorised;

  os::Loop* loop = nullptr;  // set before the first connection
  HeadWriter heads;
  Connection::Scratch scratch;
  std::unordered_set<Connection*> connections;  // the connections in service
  int refusing = 0;                             // connections that are being refused with 503
  int streams = 0;
  int64_t requests = 0;
  bool draining = false;
  std::function<void()> on_drained;  // called after the last connection while draining
};

}  // namespace muster::http
