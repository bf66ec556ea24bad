#pragma once

#include <string>
#include <vector>

#include "model/order.h"

namespace muster::launcher {

// Applies the order's platform view to this process and its children: host name, hosts file,
// mounts. Called once, before other preparations, while there is one thread. If the machine does
// not permit it, the order is changed so that its variables, commands and files refer to the real
// folders, and the returned notes name the missing paths.
std::vector<std::string> EnterPlatform(NodeOrder& order);

// Removes the folders that end with the attempt. Empty mount points in them may remain.
void RemoveScratch(const NodeOrder& order);

}  // namespace muster::launcher
