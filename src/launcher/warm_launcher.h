#pragma once

#include <climits>
#include <cstddef>
#include <span>
#include <string>

namespace muster::launcher {

// What the server sends for each order: the node's folder, a NUL, and its group name.
struct LaunchRequest {
  std::string node_dir;
  std::string group;
};
LaunchRequest ParseLaunchRequest(const std::string& packet);
inline constexpr size_t kLargestRequest = PATH_MAX + 256;

// The life of a launcher after its fork. It carries out the first order and says on `line`, a
// socket of packets, that it is done: 0 when it can serve again, 1 when it ends now. As long as
// nothing of a node but its ground has stayed in the process, it waits on the line for the next
// order of that ground: for a short job, forking and ending take longer than the order. When the
// server closes the line, the launcher ends once its order is done. `title` is as RunNursery's.
[[noreturn]] void BeLauncher(std::span<char> title, const std::string& first, int line);

}  // namespace muster::launcher
