#pragma once

namespace muster::http {

// Whether the peer of a connected socket is on this machine, judged by its address.
bool IsNear(int socket);

// Tunes a socket whose peer is on this machine, or a listening socket for such peers; connections
// inherit the settings. On loopback nothing is lost and no other traffic is disturbed, so
// congestion control for the internet (above all BBR, which paces by timers) costs processor time
// without a benefit.
void TuneForNear(int socket);

}  // namespace muster::http
