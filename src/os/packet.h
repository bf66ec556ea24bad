#pragma once

#include <optional>
#include <utility>

#include "base/result.h"
#include "os/fd.h"

namespace muster::os {

// Two ends of a local socket that keeps packets apart; both closed on exec.
Result<std::pair<Fd, Fd>> PacketPair();

// One number and, unless it is -1, one descriptor. False when the other side is gone.
bool SendPacket(int socket, int number, int fd);

struct Packet {
  int number = 0;
  Fd fd;  // none when the sender gave none
};
// Nothing when the other side is gone, sends something else, or is silent for longer than the
// socket's receive timeout.
std::optional<Packet> ReceivePacket(int socket);

}  // namespace muster::os
