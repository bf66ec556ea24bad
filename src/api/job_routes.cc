#include <fmt/format.h>

#include "api/job_json.h"
#include "api/params.h"
#include "api/routes.h"
#include "base/text.h"

namespace muster::api {
namespace {

constexpr int kPage = 100;
constexpr int kLargestPage = 1000;

Result<http::Response> ListJobs(Context& context, const http::Request& request) {
  const int limit = int(QueryInt(request, "limit").value_or(kPage));
  store::JobFilter filter;
  filter.states = QueryStates(request, "state");
  filter.name = QueryText(request, "name");
  filter.group = QueryText(request, "group");
  filter.user = QueryText(request, "user");
  if (const std::string label = QueryText(request, "label"); !label.empty()) {
    const size_t equals = label.find('=');
    if (equals == 0 || equals == std::string::npos)
      return Fail(Code::kInvalid,
                  fmt::format("label: found {}, expected NAME=VALUE", ShellQuote(label)));
    filter.label = {label.substr(0, equals), label.substr(equals + 1)};
  }
  filter.before = QueryInt(request, "before");
  filter.limit = limit + 1;  // one more tells whether there is a next page
  MUSTER_ASSIGN(std::vector<store::JobRow> rows, context.parts.journal.ListJobs(filter));
  json::value next = nullptr;
  if (int(rows.size()) > limit) {
    rows.resize(size_t(limit));
    next = rows.back().id;
  }
  json::array jobs;
  for (const store::JobRow& row : rows) jobs.push_back(RowJson(context, row));
  return http::JsonResponse(200,
                            json::object{{"jobs", std::move(jobs)}, {"next", std::move(next)}});
}

Result<http::Response> GetJob(Context& context, const http::Request& request) {
  MUSTER_ASSIGN(const Job job, context.jobs.Find(PathInt(request, "id")));
  return http::JsonResponse(200, JobJson(context, job));
}

Result<http::Response> GetWhy(Context& context, const http::Request& request) {
  MUSTER_ASSIGN(const Job job, context.jobs.Find(PathInt(request, "id")));
  MUSTER_ASSIGN(const auto why, context.parts.conductor.Why(job.id));
  json::value expected = nullptr;
  if (why.expected_ms) expected = *why.expected_ms;
  return http::JsonResponse(200, json::object{{"id", job.id},
                                              {"state", Name(job.state)},
                                              {"position", why.position},
                                              {"text", why.text},
                                              {"way_out", why.way_out},
                                              {"expected_ms", std::move(expected)},
                                              {"can_ever_fit", why.can_ever_fit}});
}

void RemoveJob(Context& context, const http::Request& request, http::Reply reply) {
  context.parts.conductor.Remove(
      PathInt(request, "id"), [reply = Share(std::move(reply))](Status status) {
        reply->Send(status ? http::Response{204, {}, ""} : http::ErrorResponse(status.error()));
      });
}

std::vector<Param> ListQuery() {
  using Kind = Param::Kind;
  return {{"state", Kind::kStates, "only jobs in these states, with commas between"},
          {"name", Kind::kText, "only jobs of exactly this name"},
          {"group", Kind::kText, "only jobs of this sweep"},
          {"user", Kind::kText, "only jobs of this user"},
          {"label", Kind::kText, "only jobs with this label, NAME=VALUE"},
          {"limit", Kind::kInt, "how many at most; 100 unless said", 1, kLargestPage},
          {"before", Kind::kInt, "only ids below this: the `next` of the page before", 1}};
}

}  // namespace

void AddJobRoutes(RouteTable& table, const ContextPtr& context) {
  table.Add({.method = "GET",
             .path = "/jobs",
             .id = "listJobs",
             .summary = "Jobs, newest first, a page at a time",
             .query = ListQuery(),
             .answers = {{200, "one page", "JobList"}}},
            [context](const Call& call) { return ListJobs(*context, call.request); });
  table.Add({.method = "GET",
             .path = "/jobs/{id}",
             .id = "getJob",
             .summary = "Everything about one job",
             .answers = {{200, "the job", "Job"}},
             .errors = {Code::kNotFound}},
            [context](const Call& call) { return GetJob(*context, call.request); });
  table.Add(
      {.method = "GET",
       .path = "/jobs/{id}/why",
       .id = "getWhy",
       .summary = "Why the job waits, with numbers and a way out",
       .answers = {{200, "the reason; for a job that does not wait, what it does instead", "Why"}},
       .errors = {Code::kNotFound}},
      [context](const Call& call) { return GetWhy(*context, call.request); });
  table.AddLater({.method = "DELETE",
                  .path = "/jobs/{id}",
                  .id = "removeJob",
                  .summary = "Drop a job that is over, with its folder",
                  .answers = {{204, "it is gone", ""}},
                  .errors = {Code::kNotFound, Code::kConflict}},
                 [context](const Call& call, http::Reply reply) {
                   RemoveJob(*context, call.request, std::move(reply));
                 });
}

}  // namespace muster::api
