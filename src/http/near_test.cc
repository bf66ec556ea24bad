#include "http/near.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <string>

#include <gtest/gtest.h>

#include "os/fd.h"

namespace muster::http {
namespace {

std::string CongestionOf(int socket) {
  char name[16] = {};
  socklen_t size = sizeof name;
  return ::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, &size) == 0 ? name : "";
}

sockaddr_in Loopback(const char* address, int port) {
  sockaddr_in name = {};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = ::inet_addr(address);
  name.sin_port = htons(static_cast<uint16_t>(port));
  return name;
}

// A listener on 127.0.0.1 and both ends of a connection from `client_address`.
struct Pair {
  explicit Pair(const char* client_address)
      : listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
        client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    TuneForNear(listener.get());
    sockaddr_in at = Loopback("127.0.0.1", 0), from = Loopback(client_address, 0);
    socklen_t size = sizeof at;
    auto* const raw = reinterpret_cast<sockaddr*>(&at);
    EXPECT_EQ(::bind(listener.get(), raw, sizeof at), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener.get(), raw, &size), 0);
    EXPECT_EQ(::bind(client.get(), reinterpret_cast<sockaddr*>(&from), sizeof from), 0);
    EXPECT_EQ(::connect(client.get(), raw, sizeof at), 0);
    accepted = os::Fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }
  os::Fd listener, client, accepted;
};

TEST(NearTest, PeerWithTheSameAddressIsNear) {
  const Pair same("127.0.0.1");
  EXPECT_TRUE(IsNear(same.client.get()));
  EXPECT_TRUE(IsNear(same.accepted.get()));
  const Pair other("127.0.0.2");  // looks like a client on another machine
  EXPECT_FALSE(IsNear(other.client.get()));
  EXPECT_FALSE(IsNear(other.accepted.get()));
}

TEST(NearTest, SocketWithoutPeerIsNotNear) {
  const os::Fd alone(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_FALSE(IsNear(alone.get()));
}

TEST(NearTest, ConnectionsInheritTheSettingsOfTheListener) {
  const Pair pair("127.0.0.1");
  EXPECT_EQ(CongestionOf(pair.listener.get()), "reno");
  EXPECT_EQ(CongestionOf(pair.accepted.get()), "reno");
}

TEST(NearTest, ConnectedSocketCanBeTuned) {
  const Pair pair("127.0.0.1");
  TuneForNear(pair.client.get());
  EXPECT_EQ(CongestionOf(pair.client.get()), "reno");
  ASSERT_EQ(::send(pair.client.get(), "x", 1, 0), 1);
  char byte = 0;
  EXPECT_EQ(::recv(pair.accepted.get(), &byte, 1, 0), 1);
}

}  // namespace
}  // namespace muster::http
