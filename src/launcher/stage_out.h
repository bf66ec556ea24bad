#pragma once

#include "base/result.h"
#include "model/publication.h"
#include "os/file.h"

namespace muster::launcher {

// Reads publication.json, or another file of the same form, in the folder of a node.
Result<Publication> ReadPublication(const os::Path& file);

// `muster launch --stage-out DIR`: copies what publication.json in DIR lists to its destinations,
// and reports by fetch.json. A separate process in the node's process tree, so that a stop ends it
// like a hook. Exit code 0 if all outputs are complete.
int RunStageOut(const os::Path& node_dir);

}  // namespace muster::launcher
