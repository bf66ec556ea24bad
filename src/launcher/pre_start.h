#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/order.h"

namespace muster::launcher {

// The platform's own step before the setup hook: a script whose exports all later processes of the
// node get.

// The words to execute. When the script ends, in whatever way, its environment is in PreStartFile.
std::vector<std::string> PreStartWords(const NodeOrder& order);
std::string PreStartFile(const NodeOrder& order);

// What the script added or changed: `before` are the entries that it began with, `dump` those that
// it ended with, each with a NUL behind it. What a shell sets for itself is none of it, nor are
// names that are Muster's.
Pairs Exported(const std::vector<std::string>& before, std::string_view dump);

}  // namespace muster::launcher
