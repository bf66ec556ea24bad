#pragma once

#include "base/result.h"
#include "model/staging.h"
#include "os/file.h"

namespace muster::launcher {

// Reads staging.json in the folder of a node.
Result<Staging> ReadStaging(const os::Path& node_dir);

// `muster launch --stage-in DIR`: fetches the inputs that staging.json in DIR lists, once for all
// nodes that share the folder of the attempt, and reports by fetch.json. A separate process in the
// node's process tree, so that a stop ends it like a hook. Exit code 0 if all inputs are in place.
int RunStageIn(const os::Path& node_dir);

}  // namespace muster::launcher
