#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/job.h"
#include "verdict/verdict.h"

namespace muster::verdict {

// A rank that fails takes a moment to end: frameworks shut down, memory is given back. Meanwhile
// its peers lose their connections, and one of them may well end before it. Then the rank that
// ended first is fallout, and the words of another one tell the cause.

// Whether the lines of others are worth a look: this one ended by itself, and tells of lost peers
// or of nothing.
bool TellsLittle(const ExitReport& exit, const std::vector<std::string>& last_lines);

// Of `others`, the lines of the one that failed by itself: killed or crashed, or with an uncaught
// exception of its own. Lines with the first rank's number are older ones of its log, or from files
// that its launcher kept; those of other ranks count only when the first one tells of lost peers.
// nullptr when none tells.
const RankLines* FindBlamed(const Attempt& attempt, const std::vector<std::string>& last_lines,
                            std::span<const RankLines> others);

}  // namespace muster::verdict
