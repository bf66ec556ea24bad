#pragma once

#include "base/result.h"

namespace muster::os {

// As TryLock in os/file.h, but shared with other holders of the same kind; for a file open for
// reading. IsLocked reports both kinds.
Result<bool> TryLockShared(int fd);

}  // namespace muster::os
