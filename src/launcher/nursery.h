#pragma once

#include <span>

namespace muster::launcher {

// What `muster launch --nursery` does: waits on descriptor 0, a socket of packets, for folders of
// nodes, and forks a launcher that carries out the order of each: a fork of this small process
// costs a tenth of what starting the executable anew does. Answers each packet with the launcher's
// pid and its line (warm_launcher.h), or with minus an errno. Ends when the other side goes.
//
// `title` is the memory of the arguments from "--nursery" on: a launcher writes what it does there,
// so that a list of processes shows `muster launch --order DIR`.
int RunNursery(std::span<char> title);

}  // namespace muster::launcher
