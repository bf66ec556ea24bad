#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verdict/verdict.h"

namespace muster::verdict {

struct Evidence {
  CauseClass cause = CauseClass::kUnknown;
  std::vector<std::string> lines;  // printable and shortened; the last one shows the cause
};

// Searches the lines of a failed rank from the last one upwards for a line that matches a rule.
// A lost connection or a collective timeout counts only if no line above it matches another class.
Evidence FindEvidence(const std::vector<std::string>& last_lines);

// Whether the evidence is the end of a Python traceback whose class is not a consequence of
// another rank's failure. Stricter than FindEvidence, for ranks that may not have failed at all.
bool EndsInTraceback(const std::vector<std::string>& last_lines);

// Whether failures of this class usually follow from the failure of another rank.
bool IsConsequence(CauseClass cause);

// The line without the prefixes that launchers and PyTorch add: "[rank1]: ", "[1]<stderr>:".
std::string_view WithoutPrefix(std::string_view line);

}  // namespace muster::verdict
