#pragma once

#include <string>

#include "base/result.h"

namespace muster::cli {

// The completion script of a shell for verbs, flags, job ids and file names, generated from the
// table of verbs. kInvalid for other shells than bash, zsh and fish.
Result<std::string> CompletionScript(std::string_view shell);

}  // namespace muster::cli
