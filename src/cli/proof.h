#pragma once

#include <string>

#include "base/json.h"
#include "cli/job_view.h"

namespace muster::cli {

// What the launchers found and killed when the last attempt was cleared away, a line a node; empty
// when nothing ever ran.
std::string ProofText(const JobView& job, int indent);
json::array ProofJson(const JobView& job);

}  // namespace muster::cli
