#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/job.h"
#include "verdict/verdict.h"

namespace muster::verdict {

// A failing rank needs time to end: frameworks shut down and free memory. Meanwhile other ranks
// lose their connections, and one of them may end before it. The rank that ended first is then a
// consequence, and the log of another rank shows the cause.

// Whether the logs of other ranks can explain the failure: this rank ended by itself, and its log
// shows only a consequence or nothing known.
bool NeedsOtherLogs(const ExitReport& exit, const std::vector<std::string>& last_lines);

// The entry of `others` whose rank failed by itself: killed, crashed, or with an uncaught
// exception. Entries with the first rank's number are older lines of its log, or files that its
// launcher wrote. Entries of other ranks count only if the first rank shows a consequence.
// nullptr if no entry shows a cause.
const RankLines* FindBlamed(const Attempt& attempt, const std::vector<std::string>& last_lines,
                            std::span<const RankLines> others);

// The rank that ended first with code 0 while other ranks of its role continued, if the failure
// is a consequence of a missing peer. nullptr if there is none.
const RankInfo* FindEarlyLeaver(const Attempt& attempt, CauseClass cause);

}  // namespace muster::verdict
