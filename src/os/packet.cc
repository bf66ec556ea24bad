#include "os/packet.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace muster::os {
namespace {

union Control {
  cmsghdr header;  // for alignment
  char bytes[CMSG_SPACE(sizeof(int))];
};

}  // namespace

Result<std::pair<Fd, Fd>> PacketPair() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
    return FailErrno(errno, "make a pair of sockets");
  return std::pair(Fd(fds[0]), Fd(fds[1]));
}

bool SendPacket(int socket, int number, int fd) {
  iovec body{&number, sizeof number};
  msghdr message{};
  message.msg_iov = &body;
  message.msg_iovlen = 1;
  Control control{};
  if (fd >= 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) == ssize_t(sizeof number);
}

std::optional<Packet> ReceivePacket(int socket) {
  Packet packet;
  iovec body{&packet.number, sizeof packet.number};
  msghdr message{};
  message.msg_iov = &body;
  message.msg_iovlen = 1;
  Control control{};
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
    packet.fd = Fd(fd);
  }
  if (got != ssize_t(sizeof packet.number)) return std::nullopt;
  return packet;
}

}  // namespace muster::os
