#pragma once

#include <optional>
#include <string>
#include <utility>

#include "dialect/plan.h"
#include "model/spec.h"
#include "model/staging.h"

namespace muster::dialect {

// The path of an input in the job: on the machine, or in a folder of the attempt if it is fetched.
// Equal on all nodes, because one command may start all ranks.
std::string InputPath(const JobSpec& spec, const std::pair<std::string, std::string>& input,
                      const Places& places);

// The folder of code from a bucket, fetched once for all nodes; each node copies it.
std::string FetchedCode(const Places& places);

// What a node fetches, and the buckets that it checks, before the ranks start; nothing if there is
// none.
std::optional<Staging> StagingOf(const JobSpec& spec, const Places& places);

}  // namespace muster::dialect
