#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace muster::os {

// Whether a program could listen on TCP `port` of `address`, and on all addresses, now.
bool PortIsFree(const std::string& address, int port);

std::string HostName();

}  // namespace muster::os
