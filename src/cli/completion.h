#pragma once

#include <string>

#include "base/result.h"

namespace muster::cli {

// The script that makes a shell complete muster's verbs, flags, job ids and file names; made from
// the table of verbs. kInvalid for another shell than bash, zsh and fish.
Result<std::string> CompletionScript(std::string_view shell);

}  // namespace muster::cli
