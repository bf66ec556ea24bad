#include <algorithm>

#include <fmt/format.h>

#include "api/job_json.h"
#include "api/params.h"
#include "api/routes.h"
#include "base/text.h"

namespace muster::api {
namespace {

constexpr int kPage = 100;
constexpr int kLargestPage = 1000;

constexpr std::pair<std::string_view, store::JobSort> kSorts[] = {
    {"id", store::JobSort::kId},
    {"name", store::JobSort::kName},
    {"state", store::JobSort::kState},
    {"framework", store::JobSort::kFramework},
    {"user", store::JobSort::kUser},
    {"priority", store::JobSort::kPriority},
    {"duration", store::JobSort::kDuration}};

// "name" is ascending, "-name" descending.
Status ReadSort(const std::string& text, store::JobFilter& filter) {
  if (text.empty()) return {};
  filter.ascending = text.front() != '-';
  const std::string_view column = std::string_view(text).substr(filter.ascending ? 0 : 1);
  const auto found =
      std::ranges::find(kSorts, column, &std::pair<std::string_view, store::JobSort>::first);
  if (found == std::end(kSorts))
    return Fail(Code::kInvalid, "sort names no column that jobs can be sorted by",
                "use id, name, state, framework, user, priority or duration; -name sorts "
                "descending");
  filter.sort = found->second;
  return {};
}

Result<json::object> CountsJson(Context& context, const store::JobFilter& filter) {
  MUSTER_ASSIGN(const auto counts, context.parts.journal.CountJobs(filter));
  json::object object;
  for (int i = 0; i < kStateCount; ++i) {
    const auto count = counts.find(State(i));
    object[Name(State(i))] = count == counts.end() ? 0 : count->second;
  }
  return object;
}

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
  filter.limit = limit + 1;  // one more shows whether there is a next page
  filter.text = QueryText(request, "text");
  filter.offset = QueryInt(request, "offset").value_or(0);
  MUSTER_TRY(ReadSort(QueryText(request, "sort"), filter));
  MUSTER_ASSIGN(std::vector<store::JobRow> rows, context.parts.journal.ListJobs(filter));
  json::value next = nullptr;
  if (int(rows.size()) > limit) {
    rows.resize(size_t(limit));
    next = rows.back().id;
  }
  json::array jobs;
  for (const store::JobRow& row : rows) jobs.push_back(RowJson(context, row));
  json::object page{{"jobs", std::move(jobs)}, {"next", std::move(next)}};
  if (QueryFlag(request, "counts")) {
    MUSTER_ASSIGN(page["counts"], CountsJson(context, filter));
  }
  return http::JsonResponse(200, page);
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
          {"before", Kind::kInt, "only ids below this: the `next` of the page before", 1},
          {"text", Kind::kText, "only jobs with this text in id, name, user, group or framework"},
          {"sort", Kind::kText,
           "id, name, state, framework, user, priority or duration; with - in front descending"},
          {"offset", Kind::kInt, "skip so many jobs"},
          {"counts", Kind::kFlag, "1: also how many jobs are in each state"}};
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
