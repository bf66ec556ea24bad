#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "model/order.h"
#include "model/record.h"
#include "os/file.h"

namespace muster::launcher {

// Puts in place what the ranks will find: folders, the code, files. Blocks while it copies, unless
// `go_on` says no: it then fails with the errno ECANCELED.
Result<StageDone> Stage(const NodeOrder& order, const Clock& clock, const os::GoOn& go_on);

// Where the code of the node's hooks stands: its shared copy when there is one, else the work
// folder.
os::Path HookFolder(const NodeOrder& order);

}  // namespace muster::launcher
