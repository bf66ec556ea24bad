#pragma once

#include <string>
#include <vector>

#include "model/job.h"
#include "os/file.h"
#include "verdict/verdict.h"

namespace muster::lifecycle {

// What the verdict on an attempt is made of: the ends of its logs, safe to print. Bounded in bytes,
// lines and files; what is not there or cannot be read is as if nothing had been said.

std::vector<std::string> LastLines(const os::Path& log);
std::vector<std::string> LastLinesOf(const os::Path& attempt_dir, int node, int rank);

// More lines of the rank that ended first, those of the ranks beside it, and of the files in which
// a framework's launcher keeps what it does not pass on. The attempt has a cause, which is a rank.
std::vector<verdict::RankLines> LinesOfOthers(const os::Path& attempt_dir, const Attempt& attempt);

}  // namespace muster::lifecycle
