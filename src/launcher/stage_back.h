#pragma once

#include "base/result.h"
#include "os/file.h"

namespace muster::launcher {

// Removes the fetched inputs of an attempt after it ended on all nodes. Unchanged links return to
// the cache in the data directory; the rest is removed.
Status StageBack(const os::Path& attempt_dir, const os::Path& data_dir);

}  // namespace muster::launcher
