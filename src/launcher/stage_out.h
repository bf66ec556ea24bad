#pragma once

#include "base/result.h"
#include "model/publication.h"
#include "os/file.h"

namespace muster::launcher {

// What publication.json, or another file of its form, in the folder of a node says.
Result<Publication> ReadPublication(const os::Path& file);

// `muster launch --stage-out DIR`: takes what publication.json in DIR names to its places, and
// tells the launcher by fetch.json. A process of its own, in the node's group: a stop ends it as it
// ends a hook. The exit code is 0 when all outputs are there as a whole.
int RunStageOut(const os::Path& node_dir);

}  // namespace muster::launcher
