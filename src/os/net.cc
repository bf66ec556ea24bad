#include "os/net.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "os/fd.h"

namespace muster::os {
namespace {

using AddressList = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

AddressList Resolve(const char* address, int port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address, std::to_string(port).c_str(), &hints, &found) != 0) found = nullptr;
  return {found, ::freeaddrinfo};
}

bool CanListen(const sockaddr* address, socklen_t size) {
  const Fd fd(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return false;
  const int on = 1, off = 0;
  // SO_REUSEADDR, as servers set it: connections in TIME_WAIT do not count, listeners do.
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address->sa_family == AF_INET6) {
    ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  }
  if (::bind(fd.get(), address, size) != 0) return false;
  return ::listen(fd.get(), 1) == 0;
}

bool CanListenV4(in_addr where, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(uint16_t(port));
  address.sin_addr = where;
  return CanListen(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

// A listener on any single address also blocks the port. One socket serves both IP versions.
bool CanListenEverywhere(int port) {
  static const bool has_version_6 = bool(Fd(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)));
  if (!has_version_6) return CanListenV4({INADDR_ANY}, port);
  sockaddr_in6 address{};  // all zero is the wildcard address
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(uint16_t(port));
  return CanListen(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

// For a port that is free on all addresses.
bool CanListenOn(const std::string& address, int port) {
  // Node addresses are nearly always numeric, and the resolver is expensive.
  if (in_addr numeric{}; ::inet_pton(AF_INET, address.c_str(), &numeric) == 1) {
    const bool is_loopback = ntohl(numeric.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
    return is_loopback || CanListenV4(numeric, port);
  }
  const AddressList list = Resolve(address.c_str(), port);
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    if (!CanListen(one->ai_addr, one->ai_addrlen)) return false;
  }
  return list != nullptr;
}

}  // namespace

bool PortIsFree(const std::string& address, int port) {
  if (port < 1 || port > 65535) return false;
  return CanListenEverywhere(port) && CanListenOn(address, port);
}

std::string HostName() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

}  // namespace muster::os
