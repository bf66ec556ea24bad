#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/job_view.h"
#include "cli/screen.h"

namespace muster::cli {

// The page of `muster describe`: headline, specification, attempts, ranks (merged if many are
// equal), cleanup proof, folders.
std::string JobPage(const Screen& screen, const JobView& job,
                    const std::vector<std::string>& failing_lines, int64_t now_ms);

}  // namespace muster::cli
