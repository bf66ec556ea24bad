#pragma once

#include <string>
#include <vector>

#include "model/order.h"

namespace muster::launcher {

// Makes this process, and all it starts, a virtual node: a host name and a hosts file of its own.
// Nodes with further names get the hosts file alone when they are real.
// What the machine does not allow is left as it is and returned as a note for the record.
std::vector<std::string> Isolate(const NodeOrder& order);

// The hosts file of a virtual node: the attempt's nodes first, so that they win, then `machine`,
// which is what the machine's own file says. Names that could break a line are left out.
std::string HostsText(const NodeOrder& order, std::string_view machine);

}  // namespace muster::launcher
