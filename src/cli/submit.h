#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/api.h"
#include "model/spec.h"

namespace muster::cli {

struct Submitted {
  std::vector<std::pair<JobId, std::string>> jobs;  // id, name; several for a sweep
  std::string group;
  json::object raw;  // the answer as it came
};

// POSTs a request that makes jobs. It carries a key, so that after a broken connection it is sent
// again, at most twice, without making a second job.
Result<Submitted> SubmitOnce(Api& api, const std::string& target, const json::object& body,
                             int64_t pause_ms = 300);

// Who asks, for the record: $USER, $LOGNAME, else the number.
std::string UserName();

}  // namespace muster::cli
