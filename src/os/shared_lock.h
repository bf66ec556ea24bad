#pragma once

#include "base/result.h"

namespace muster::os {

// As TryLock of os/file.h, but shared with others that take it so; on a file open for reading.
// IsLocked sees it like the other kind.
Result<bool> TryLockShared(int fd);

}  // namespace muster::os
