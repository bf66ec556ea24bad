#pragma once

#include <optional>
#include <utility>

#include "base/result.h"
#include "os/fd.h"

namespace muster::os {

// A pair of connected local sockets that preserve packet boundaries; both are close-on-exec.
Result<std::pair<Fd, Fd>> PacketPair();

// Sends a number and, unless it is -1, a descriptor. False if the peer closed the socket.
bool SendPacket(int socket, int number, int fd);

struct Packet {
  int number = 0;
  Fd fd;  // invalid if the sender passed no descriptor
};
// Nothing if the peer closed the socket, sent something else, or sent nothing within the receive
// timeout.
std::optional<Packet> ReceivePacket(int socket);

}  // namespace muster::os
