#pragma once

#include <span>

namespace muster::launcher {

// What `muster launch --nursery` does: waits on descriptor 0, a socket of packets, for folders of
// nodes, and has a launcher carry out the order of each: one that is done with its former order, or
// else a fork of this small process, which costs a tenth of what starting the executable anew does.
// Behind the folder and a NUL stands the ground of the order (model/order.h), if it has one.
// Answers each packet with the launcher's pid and the end of a pipe, readable when the order is
// carried out or the launcher gone; or with minus an errno. Ends when the other side goes: idle
// launchers end with it, the others when they are done.
//
// `title` is the memory of the arguments from "--nursery" on: a launcher writes what it does there,
// so that a list of processes shows `muster launch --order DIR`.
int RunNursery(std::span<char> title);

}  // namespace muster::launcher
