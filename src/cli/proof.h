#pragma once

#include <string>

#include "base/json.h"
#include "cli/job_view.h"

namespace muster::cli {

// What the cleanup of the last attempt found and killed, one line per node; empty if the job never
// ran.
std::string ProofText(const JobView& job, int indent);
json::array ProofJson(const JobView& job);

}  // namespace muster::cli
