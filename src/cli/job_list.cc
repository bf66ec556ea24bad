#include "cli/job_list.h"

#include <algorithm>

#include <fmt/format.h>

namespace muster::cli {
namespace {

constexpr int64_t kPage = 500;

std::string Target(const JobQuery& query, int64_t limit, int64_t before) {
  std::string target = fmt::format("/jobs?limit={}", limit);
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) target += fmt::format("&{}={}", name, http::UrlEncode(value));
  };
  add("state", query.states);
  add("name", query.name);
  add("group", query.group);
  add("user", query.user);
  add("label", query.label);
  if (before > 0) target += fmt::format("&before={}", before);
  return target;
}

}  // namespace

Status EachJob(Api& api, const JobQuery& query, int64_t limit,
               const std::function<bool(const json::object& row)>& take) {
  int64_t before = 0;
  while (limit > 0) {
    const int64_t page = std::min(limit, kPage);
    MUSTER_ASSIGN(const json::object answer, api.Get(Target(query, page, before)));
    const json::array* rows = GetArray(answer, "jobs");
    if (!rows) return {};
    for (const json::value& row : *rows)
      if (const json::object* object = row.if_object(); object && !take(*object)) return {};
    limit -= std::max<int64_t>(1, int64_t(rows->size()));
    const int64_t next = GetInt(answer, "next");
    // A cursor that does not decrease would cause an endless loop.
    if (next <= 0 || (before > 0 && next >= before)) return {};
    before = next;
  }
  return {};
}

Result<std::vector<json::object>> ListJobs(Api& api, const JobQuery& query, int64_t limit) {
  std::vector<json::object> rows;
  MUSTER_TRY(EachJob(api, query, limit, [&](const json::object& row) {
    rows.push_back(row);
    return true;
  }));
  return rows;
}

Result<json::object> GetJob(Api& api, JobId id) { return api.Get(fmt::format("/jobs/{}", id)); }

}  // namespace muster::cli
