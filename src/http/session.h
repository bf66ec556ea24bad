#pragma once

#include <memory>

#include <boost/asio/awaitable.hpp>

#include "http/connection.h"
#include "http/server_core.h"

namespace muster::http {

// Serves the requests of one connection, one after the other, until either side ends it. Ends
// without an exception, whatever handlers do.
boost::asio::awaitable<void> ServeConnection(ServerCore& core,
                                             std::shared_ptr<Connection> connection);

// Answers 503 whatever is asked, and closes.
boost::asio::awaitable<void> RefuseConnection(ServerCore& core,
                                              std::shared_ptr<Connection> connection);

}  // namespace muster::http
