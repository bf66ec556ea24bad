#pragma once

#include <span>

namespace muster::launcher {

// What `muster launch --nursery` does: waits on descriptor 0, a socket of packets, for orders
// (warm_launcher.h), and for each forks a supervisor (supervisor.h) and below it a launcher that
// carries out the order: a fork of this small process costs a tenth of what starting the executable
// anew does. Each packet is answered with the launcher's pid and its line, or with minus an errno.
// Ends when the server closes the socket.
//
// `title` is the memory of the arguments from "launch" on: a launcher writes what it does there, so
// that a list of processes shows `muster launch --order DIR`, and its supervisor `muster
// supervise`.
int RunNursery(std::span<char> title);

}  // namespace muster::launcher
