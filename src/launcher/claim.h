#pragma once

#include <optional>

#include "base/result.h"
#include "os/fd.h"
#include "os/file.h"

namespace muster::launcher {

// Claims the node for this launcher: creates `node_dir`/record empty and locked in one step, so
// that no process ever sees it unlocked while this launcher lives. Returns nothing if the record
// exists: another launcher runs or ran this node.
Result<std::optional<os::Fd>> ClaimRecord(const os::Path& node_dir);

}  // namespace muster::launcher
