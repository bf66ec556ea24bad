#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/api.h"
#include "cli/flags.h"
#include "model/spec.h"

namespace muster::cli {

// The jobs that words of a command line name: ids, and groups ("sweep-3"), whose jobs come by id.
// kNotFound for a group without jobs; an id is not looked up.
Result<std::vector<JobId>> FindJobs(Api& api, const std::vector<std::string>& words);
// True when a word is the name of a group instead of an id.
bool IsGroupName(std::string_view word);

}  // namespace muster::cli
