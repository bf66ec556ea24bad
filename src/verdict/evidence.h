#pragma once

#include <string>
#include <vector>

#include "verdict/verdict.h"

namespace muster::verdict {

struct Evidence {
  CauseClass cause = CauseClass::kUnknown;
  std::vector<std::string> lines;  // printable, cut to a bearable length
};

// Reads the lines of a failed rank from the last one up: the last thing it complained about is the
// cause, unless that is only the loss of its peers.
Evidence FindEvidence(const std::vector<std::string>& last_lines);

// Whether the evidence in these lines is the end of a Python traceback, and not of a lost peer: an
// exception that nobody caught. Stricter than the above, for ranks that need not have failed.
bool EndsInTraceback(const std::vector<std::string>& last_lines);

}  // namespace muster::verdict
