#pragma once

#include "base/result.h"

namespace muster::launcher {

// Gives this process a private mount namespace: directly if permitted, otherwise in a user
// namespace that maps its user and group to themselves. kDenied without any change if the machine
// permits neither. Only while the process has one thread.
Status OwnMounts();

}  // namespace muster::launcher
