#pragma once

#include <span>
#include <string>

namespace muster::launcher {

// The life of a launcher after its fork. It carries out the first order, and as long as nothing of
// a node but its ground has stayed in it, says so on `line`, a socket of packets, with one number
// and waits there for the folder of the next order of that ground: for a short job, forking and
// ending take longer than the order. When the other side goes it ends, once it is done. `title` is
// as RunNursery's.
[[noreturn]] void BeLauncher(std::span<char> title, const std::string& node_dir, int line);

}  // namespace muster::launcher
