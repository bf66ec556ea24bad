#pragma once

#include <memory>
#include <optional>

#include <boost/asio/awaitable.hpp>

#include "http/exchange.h"
#include "http/server_core.h"

namespace muster::http {

// An answer and what the request said about how to send it.
struct Turn {
  Answer answer;
  bool http11 = true;
  bool head_only = false;   // the request was HEAD
  bool keep_alive = false;  // the request was read to its end, and more may follow it
};

// Reads one request, has it handled, and returns its turn; nothing when there is nobody to answer.
// Everything that was read is freed by then, since sending may take for ever.
boost::asio::awaitable<std::optional<Turn>> ReceiveTurn(ServerCore& core,
                                                        std::shared_ptr<Connection> connection);

}  // namespace muster::http
