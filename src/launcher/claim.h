#pragma once

#include <optional>

#include "base/result.h"
#include "os/fd.h"
#include "os/file.h"

namespace muster::launcher {

// Takes the node for this launcher: `node_dir`/record comes into being, empty and locked in the
// same instant, so nobody ever sees it without the lock that tells a living launcher. Nothing when
// it exists: another launcher has, or had, the node.
Result<std::optional<os::Fd>> ClaimRecord(const os::Path& node_dir);

}  // namespace muster::launcher
