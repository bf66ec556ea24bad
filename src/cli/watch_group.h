#pragma once

#include <string>

#include "base/result.h"
#include "cli/api.h"
#include "cli/context.h"
#include "cli/submit.h"

namespace muster::cli {

// Waits for all jobs of a sweep, telling each end, and compares them when all are over. The exit
// code is that of the first that failed.
Result<int> WatchGroup(Context& context, Api& api, bool as_json, const Submitted& submitted);

// The commands to go on with after a sweep was submitted.
std::string GroupCommands(const std::string& group);

}  // namespace muster::cli
