#pragma once

#include <optional>
#include <string>
#include <utility>

#include "dialect/plan.h"
#include "model/spec.h"
#include "model/staging.h"

namespace muster::dialect {

// Where the job finds an input: on the machine, or in a folder of the attempt when it is fetched.
// The same on all nodes: one command may start them all.
std::string InputPath(const JobSpec& spec, const std::pair<std::string, std::string>& input,
                      const Places& places);

// Where code out of a bucket is fetched to, once for all nodes; each copies it from there.
std::string FetchedCode(const Places& places);

// What each node has to fetch, and which buckets it looks for, before anything of the job runs;
// nothing when there is nothing.
std::optional<Staging> StagingOf(const JobSpec& spec, const Places& places);

}  // namespace muster::dialect
