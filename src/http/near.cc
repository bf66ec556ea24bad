#include "http/near.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstring>
#include <string_view>

namespace muster::http {
namespace {

constexpr std::string_view kCongestion = "reno";  // available in every kernel and to every user
// The limit of unsent bytes in the kernel. A peer that finds bytes need not sleep, and waking it
// takes longer than sending them.
constexpr int kMostUnsent = 1 << 20;

struct Address {
  sockaddr_storage storage = {};
  socklen_t size = sizeof storage;
  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
};

bool IsSameHost(const Address& one, const Address& other) {
  if (one.storage.ss_family != other.storage.ss_family) return false;
  if (one.storage.ss_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(one.storage).sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in&>(other.storage).sin_addr.s_addr;
  }
  return one.storage.ss_family == AF_INET6 &&
         std::memcmp(&reinterpret_cast<const sockaddr_in6&>(one.storage).sin6_addr,
                     &reinterpret_cast<const sockaddr_in6&>(other.storage).sin6_addr,
                     sizeof(in6_addr)) == 0;
}

}  // namespace

bool IsNear(int socket) {
  Address here, there;
  return ::getsockname(socket, here.raw(), &here.size) == 0 &&
         ::getpeername(socket, there.raw(), &there.size) == 0 && IsSameHost(here, there);
}

void TuneForNear(int socket) {
  // Failure only affects speed.
  ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, kCongestion.data(), kCongestion.size());
  ::setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kMostUnsent, sizeof kMostUnsent);
}

}  // namespace muster::http
