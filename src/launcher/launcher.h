#pragma once

#include "launcher/footing.h"
#include "os/file.h"

namespace muster::launcher {

// How an order was carried out.
struct LauncherEnd {
  int code = 0;       // 0 also when ranks failed, or when another launcher has the record already;
                      // 1 when the record could not be had or finished
  bool spent = true;  // the process has become the node's, or something went wrong: it must end now
  bool carried_out = false;  // this launcher had the record, and wrote its last line
};

// What `muster launch DIR` does on a node: carries out DIR/order.json from claiming the record to
// its last line. Blocks until the node is clean; uses one thread, and changes the process it runs
// in (signals, subreaper, perhaps namespaces). Unless it is spent, the process may carry out
// another order of the same ground: nothing else of this node is left in it.
LauncherEnd CarryOut(const os::Path& node_dir, Footing& footing);

// The same as a program: its exit code.
int RunLauncher(const os::Path& node_dir);

}  // namespace muster::launcher
