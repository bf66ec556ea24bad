#pragma once

#include <string>
#include <vector>

#include "model/order.h"

namespace muster::launcher {

// Gives this process, and all it starts, what the order's platform shows: a host name and a hosts
// file of its own and the view. Once, before anything else of the node is prepared, while there is
// one thread. Where the machine does not allow it the order is changed, so that its variables,
// commands and files lead to the folders themselves, and the notes say which names are missing.
std::vector<std::string> EnterPlatform(NodeOrder& order);

// Removes the folders that end with the attempt. Mount points in them may stay, as empty folders.
void RemoveScratch(const NodeOrder& order);

}  // namespace muster::launcher
