#pragma once

#include <string>
#include <vector>

#include "model/order.h"

namespace muster::launcher {

// Makes this process and its children a virtual node with a host name and a hosts file. A real node
// with additional names gets only the hosts file. What the machine does not permit is skipped and
// returned as a note for the record.
std::vector<std::string> Isolate(const NodeOrder& order);

// The hosts file of a virtual node: the nodes of the attempt first, so that they have precedence,
// then `machine`, the text of the machine's own file. Names that could break a line are omitted.
std::string HostsText(const NodeOrder& order, std::string_view machine);

}  // namespace muster::launcher
