#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/api.h"
#include "model/spec.h"

namespace muster::cli {

struct Submitted {
  std::vector<std::pair<JobId, std::string>> jobs;  // id and name; several for a sweep
  std::string group;
  json::object raw;  // the unparsed response
};

// POSTs a request that creates jobs, with an idempotency key: after a broken connection it is sent
// again, at most twice, without creating a second job.
Result<Submitted> SubmitOnce(Api& api, const std::string& target, const json::object& body,
                             int64_t pause_ms = 300);

// The submitting user: $USER, $LOGNAME, else the user id.
std::string UserName();

}  // namespace muster::cli
