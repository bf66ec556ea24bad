#pragma once

#include "base/result.h"
#include "model/staging.h"
#include "os/file.h"

namespace muster::launcher {

// What staging.json in the folder of a node says.
Result<Staging> ReadStaging(const os::Path& node_dir);

// `muster launch --stage-in DIR`: fetches the inputs that staging.json in DIR names, once for all
// nodes of the attempt that share its folder, and tells the launcher by fetch.json. A process of
// its own, in the node's group: a stop ends it as it ends a hook. The exit code is 0 when all of
// them are in place.
int RunStageIn(const os::Path& node_dir);

}  // namespace muster::launcher
