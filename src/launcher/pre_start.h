#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/order.h"

namespace muster::launcher {

// The platform's script before the setup hook; all later processes of the node get its exported
// variables.

// The command to execute. When the script ends in any way, its environment is in PreStartFile.
std::vector<std::string> PreStartWords(const NodeOrder& order);
std::string PreStartFile(const NodeOrder& order);

// The variables that the script added or changed: `before` is its initial environment, `dump` its
// final one, with NUL-terminated entries. Excludes variables that a shell sets itself, and Muster's
// own.
Pairs Exported(const std::vector<std::string>& before, std::string_view dump);

}  // namespace muster::launcher
