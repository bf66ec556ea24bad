#pragma once

#include "os/file.h"

namespace muster::launcher {

// `muster launch --meanwhile DIR`: beside the ranks of a node, copies what meanwhile.json in DIR
// names, again and again until it is killed: of outputs the files that changed and that nobody
// writes to, and logs as far as they are. A kill at any instant leaves whole files there.
int RunMeanwhile(const os::Path& node_dir);

}  // namespace muster::launcher
