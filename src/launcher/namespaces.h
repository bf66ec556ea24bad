#pragma once

#include "base/result.h"

namespace muster::launcher {

// Gives this process mounts of its own that nobody else sees: by right, or else in a user namespace
// in which its user and group stay what they are. kDenied, and nothing has changed, where the
// machine allows neither. Only while there is one thread.
Status OwnMounts();

}  // namespace muster::launcher
