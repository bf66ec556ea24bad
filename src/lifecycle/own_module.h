#pragma once

#include <string>

#include "os/file.h"

namespace muster::lifecycle {

// Where a Python module is in a snapshot of code, relative to it: "lib/utils.py", or the folder
// "lib/utils" of a package. The place with the fewest folders around it; empty when there is none
// among the first entries of a large tree.
std::string FindModule(const os::Path& tree, const std::string& module);

}  // namespace muster::lifecycle
