#pragma once

#include "base/result.h"

namespace muster::cli {

// kInvalid when a pipe or a file with data is the standard input: the ranks of a job do not read
// it. A terminal, /dev/null, and an empty or idle pipe pass.
Status RefuseInput(int input);

}  // namespace muster::cli
