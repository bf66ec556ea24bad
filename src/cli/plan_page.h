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

// The orders of a plan for people: a table of ranks, what every rank has in common once, what sets
// them apart a rank, then files and hooks.
std::string PlanPage(const Screen& screen, const std::vector<NodeOrder>& orders,
                     const EnvSources& sources);

// Takes the values of variables that look like secrets out of the orders, and the tokens, which
// only a real launch needs.
void HideSecrets(std::vector<NodeOrder>& orders);

}  // namespace muster::cli
