#pragma once

#include <span>
#include <string>
#include <vector>

namespace muster::launcher {

// Writes `words` into the memory of a program's original arguments, so that a list of processes
// shows them. False, and nothing is written, when there is not enough room: a path that is cut
// short would name another folder.
bool ShowTitle(std::span<char> title, const std::vector<std::string>& words);

}  // namespace muster::launcher
