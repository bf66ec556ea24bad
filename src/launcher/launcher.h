#pragma once

#include "launcher/footing.h"
#include "os/file.h"

namespace muster::launcher {

// The result of executing an order.
struct LauncherEnd {
  int code = 0;       // 0 also if ranks failed, or if another launcher has the record;
                      // 1 if the record could not be created or finished.
  bool spent = true;  // the process has become the node's, or something went wrong: it must end now
  bool carried_out = false;  // this launcher had the record, and wrote its last line
};

// `muster launch DIR`: executes DIR/order.json from the claim of the record to its last line.
// Blocks until the node is clean; uses one thread, and changes its process (signals, subreaper,
// possibly namespaces). Unless `spent` is set, the process may execute another order of the same
// node.
LauncherEnd CarryOut(const os::Path& node_dir, Footing& footing);

// CarryOut as a program: returns the exit code.
int RunLauncher(const os::Path& node_dir);

}  // namespace muster::launcher
