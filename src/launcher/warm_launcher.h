#pragma once

#include <span>
#include <string>

namespace muster::launcher {

// Gives a launcher that waits on the other side of `orders` its next one; it closes its copy of
// `ended` when that is carried out, or with its life. False when the launcher is gone.
bool SendOrder(int orders, const std::string& node_dir, int ended);

// The life of a launcher after its fork. It carries out the first order, and as long as nothing of
// a node but its ground has stayed in it, says so on `orders` with an empty packet and waits there
// for the next of that ground: for a short job, forking and ending take longer than the order.
// Without `orders` (-1), or when the other side of it goes, it ends. `title` is as RunNursery's.
[[noreturn]] void BeLauncher(std::span<char> title, const std::string& node_dir, int orders,
                             int ended);

}  // namespace muster::launcher
