#pragma once

#include "os/file.h"

namespace muster::launcher {

// `muster launch --meanwhile DIR`: beside the ranks of a node, repeatedly copies what
// meanwhile.json in DIR lists until it is killed: changed files of outputs that no process has open
// for writing, and logs. A kill leaves only complete files at the destination.
int RunMeanwhile(const os::Path& node_dir);

}  // namespace muster::launcher
