#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/api.h"
#include "model/spec.h"

namespace muster::cli {

// The filter of GET /jobs; empty members match any job.
struct JobQuery {
  std::string states;  // "queued,running"
  std::string name, group, user;
  std::string label;  // "NAME=VALUE"
};

inline constexpr std::string_view kUnfinished = "queued,starting,running,stopping";
inline constexpr std::string_view kEnded = "succeeded,failed,stopped";

// Passes every matching job to `take`, newest first, page by page, until `limit` is reached, no
// jobs are left, or `take` returns false.
Status EachJob(Api& api, const JobQuery& query, int64_t limit,
               const std::function<bool(const json::object& row)>& take);

Result<std::vector<json::object>> ListJobs(Api& api, const JobQuery& query, int64_t limit);

// GET of a job; kNotFound and other errors of the server.
Result<json::object> GetJob(Api& api, JobId id);

}  // namespace muster::cli
