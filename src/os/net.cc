#include "os/net.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "os/fd.h"

namespace muster::os {
namespace {

using AddressList = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

AddressList Resolve(const char* address, int port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address, std::to_string(port).c_str(), &hints, &found) != 0) found = nullptr;
  return {found, ::freeaddrinfo};
}

bool CanListen(const addrinfo& address) {
  const Fd fd(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // A family that this machine lacks cannot be in anybody's way.
  if (!fd) return errno == EAFNOSUPPORT;
  const int on = 1;
  // As servers do: old connections that are still closing do not count, listeners do.
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.ai_family == AF_INET6) {
    ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  }
  if (::bind(fd.get(), address.ai_addr, address.ai_addrlen) != 0) return false;
  return ::listen(fd.get(), 1) == 0;
}

bool CanListenOnEvery(const AddressList& list) {
  for (const addrinfo* address = list.get(); address != nullptr; address = address->ai_next) {
    if (!CanListen(*address)) return false;
  }
  return list != nullptr;
}

}  // namespace

bool PortIsFree(const std::string& address, int port) {
  if (port < 1 || port > 65535) return false;
  return CanListenOnEvery(Resolve(address.c_str(), port, AI_NUMERICSERV)) &&
         CanListenOnEvery(Resolve(nullptr, port, AI_NUMERICSERV | AI_PASSIVE));
}

std::string HostName() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

}  // namespace muster::os
