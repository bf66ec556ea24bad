#pragma once

#include <string>
#include <vector>

#include "model/job.h"
#include "os/file.h"
#include "verdict/verdict.h"

namespace muster::lifecycle {

// The ends of logs for the verdict on an attempt, printable and bounded in bytes, lines and files.
// Missing or unreadable logs count as empty.

std::vector<std::string> LastLines(const os::Path& log);
std::vector<std::string> LastLinesOf(const os::Path& attempt_dir, int node, int rank);

// More lines of the rank that ended first, the last lines of other ranks, and of the files in which
// a framework's launcher stores output that it does not forward. Precondition: the cause of the
// attempt is a rank.
std::vector<verdict::RankLines> LinesOfOthers(const os::Path& attempt_dir, const Attempt& attempt);

}  // namespace muster::lifecycle
