#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/order.h"
#include "os/fd.h"
#include "os/file.h"

namespace muster::launcher {

// The working folder of a node (or, with workdir: job, of all nodes): a copy of the code with all
// that ranks write beside it. <work_dir>.ready exists once the copy of the code is complete.

bool WorkIsReady(const NodeOrder& order);
Status MarkWorkReady(const NodeOrder& order);

// The lock under which one of several nodes prepares a folder that they share. kConflict with the
// errno ECANCELED when `go_on` says no.
Result<os::Fd> LockWork(const NodeOrder& order, const os::GoOn& go_on);

// Moves the working folder of the latest earlier attempt, with everything in it, to this attempt,
// as the order says. The old name becomes a link to the new one, so that absolute paths in files
// of the ranks stay valid. Before the view of a platform is made, which mounts these folders.
// Returns notes for users: what this attempt starts from.
std::vector<std::string> TakeOverWork(const NodeOrder& order);

}  // namespace muster::launcher
