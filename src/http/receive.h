#pragma once

#include <memory>
#include <optional>

#include <boost/asio/awaitable.hpp>

#include "http/exchange.h"
#include "http/server_core.h"

namespace muster::http {

// A response and the properties of the request that determine how to send it.
struct Turn {
  Answer answer;
  bool http11 = true;
  bool head_only = false;   // the request was HEAD
  bool keep_alive = false;  // the request was read completely, and another may follow
};

// Reads a request, calls its handler, and returns the response; nothing if the client is gone. All
// request data is freed before it returns, because sending may take long.
boost::asio::awaitable<std::optional<Turn>> ReceiveTurn(ServerCore& core,
                                                        std::shared_ptr<Connection> connection);

}  // namespace muster::http
