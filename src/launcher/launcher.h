#pragma once

#include "os/file.h"

namespace muster::launcher {

// What `muster launch DIR` does on a node: carries out DIR/order.json from claiming the record to
// its last line. Blocks until the node is clean; uses one thread, and changes the process it runs
// in (signals, subreaper, perhaps namespaces). Returns the exit code: 0 also when ranks failed, or
// when another launcher has the record already; 1 when the record could not be had or finished.
int RunLauncher(const os::Path& node_dir);

}  // namespace muster::launcher
