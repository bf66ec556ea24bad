#pragma once

#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/result.h"
#include "http/server_core.h"

namespace muster::http {

// The address of `host`: a name, or an IPv4 or IPv6 address with or without brackets.
Result<boost::asio::ip::tcp::endpoint> ResolveListenAddress(const std::string& host, int port);

// Shared between the server, which closes it, and the accepting coroutine.
using AcceptorPtr = std::shared_ptr<boost::asio::ip::tcp::acceptor>;
Result<AcceptorPtr> Listen(boost::asio::io_context& context,
                           const boost::asio::ip::tcp::endpoint& endpoint);

// Accepts from the socket of another acceptor; either may receive a connection.
Result<AcceptorPtr> ShareListener(boost::asio::io_context& context, int socket);

// Starts serving a connection on the loop of `core`. Must be called on its thread.
void Admit(ServerCore& core, boost::asio::ip::tcp::socket socket, Crew::Seat seat);

// Accepts connections and assigns them to the members of the crew, until the acceptor is closed.
boost::asio::awaitable<void> AcceptConnections(ServerCore& core, AcceptorPtr acceptor);

}  // namespace muster::http
