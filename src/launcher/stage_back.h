#pragma once

#include "base/result.h"
#include "os/file.h"

namespace muster::launcher {

// After an attempt has ended on all of its nodes: what was fetched for it leaves its folder. Links
// that the job left as they were go back to the cache in the data directory, for the next job; the
// rest is removed.
Status StageBack(const os::Path& attempt_dir, const os::Path& data_dir);

}  // namespace muster::launcher
