#pragma once

#include "model/order.h"

namespace muster::launcher {

// The log that ModelArts keeps per node. While ranks run it is a link to the log of the first rank;
// afterwards it becomes a file: output of earlier steps, the output of the rank, and a closing line
// with the return code. The logs of ranks stay unchanged. No effect for other platforms; a log
// above a gigabyte stays a link.
void CloseTaskLog(const NodeOrder& order, int return_code);

}  // namespace muster::launcher
