#pragma once

#include "model/order.h"

namespace muster::launcher {

// The log that ModelArts keeps of a node. While its ranks run it is a link to the first one's; when
// all is over it becomes a file of its own: what ran before, the rank's output, and a closing line
// with the return code. Logs of ranks themselves stay what the ranks wrote. Nothing for a node of
// no such platform; a log above a gigabyte stays a link.
void CloseTaskLog(const NodeOrder& order, int return_code);

}  // namespace muster::launcher
