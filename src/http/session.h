#pragma once

#include <memory>

#include <boost/asio/awaitable.hpp>

#include "http/connection.h"
#include "http/server_core.h"

namespace muster::http {

// Serves the requests of one connection in order, until either side ends it. Never throws, whatever
// handlers do.
boost::asio::awaitable<void> ServeConnection(ServerCore& core,
                                             std::shared_ptr<Connection> connection);

// Responds 503 to any request, and closes.
boost::asio::awaitable<void> RefuseConnection(ServerCore& core,
                                              std::shared_ptr<Connection> connection);

}  // namespace muster::http
