#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "model/order.h"
#include "model/record.h"
#include "os/file.h"

namespace muster::launcher {

// Creates folders, code and files for the ranks. Blocks while it copies; fails with ECANCELED if
// `go_on` returns false.
Result<StageDone> Stage(const NodeOrder& order, const Clock& clock, const os::GoOn& go_on);

// The folder in which hooks run: the shared copy of the code if there is one, else the work folder.
os::Path HookFolder(const NodeOrder& order);

}  // namespace muster::launcher
