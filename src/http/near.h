#pragma once

namespace muster::http {

// Whether the peer of a connected socket runs on this machine, by its address.
bool IsNear(int socket);

// Settings of a socket whose peer runs on this machine, or of a listening one that only such peers
// reach; its connections inherit them. Nothing can be lost on the way and no other traffic be
// crowded out, so that what a machine may be set to for the internet (BBR above all, which paces by
// timers) costs both ends processor time for nothing.
void TuneForNear(int socket);

}  // namespace muster::http
