#pragma once

#include <string>
#include <vector>

#include "cli/job_view.h"
#include "cli/screen.h"

namespace muster::cli {

// The jobs of a sweep side by side: swept values, state, and the latest metrics.
std::string CompareText(const Screen& screen, const std::string& group,
                        const std::vector<JobView>& jobs);

}  // namespace muster::cli
