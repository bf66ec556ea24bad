#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/screen.h"
#include "model/order.h"

namespace muster::cli {

// Where the values of variables come from; one that is missing is set by Muster.
enum class EnvSource { kJob, kShell };
using EnvSources = std::map<std::string, EnvSource, std::less<>>;
EnvSources SourcesOf(const JobSpec& spec);
json::object ToJsonObject(const EnvSources& sources);  // {"PATH": "shell", "LR": "job"}

// The orders of a plan as a page: a table of ranks, the common variables once, the differing ones
// per rank, then files and hooks.
std::string PlanPage(const Screen& screen, const std::vector<NodeOrder>& orders,
                     const EnvSources& sources);

// Removes values of variables that look like secrets, and the tokens, from the orders.
void HideSecrets(std::vector<NodeOrder>& orders);

}  // namespace muster::cli
