#include <fmt/format.h>

#include "api/from_pool.h"
#include "api/params.h"
#include "api/routes.h"
#include "api/series_table.h"

namespace muster::api {
namespace {

constexpr int64_t kPoints = 2000;
constexpr int64_t kMostPoints = 100'000;

void SendSeries(const ContextPtr& context, const http::Request& request, http::Reply reply) {
  const Result<Job> job = context->jobs.Find(PathInt(request, "id"));
  if (!job) return reply.Send(http::ErrorResponse(job.error()));
  const std::optional<int64_t> number = QueryInt(request, "attempt");
  const Attempt* attempt = number ? FindAttempt(*job, int(*number)) : job->current();
  if (number && attempt == nullptr)
    return reply.Send(http::ErrorResponse(
        {Code::kNotFound, fmt::format("job {} has no attempt {}", job->id, *number),
         "omit attempt for the latest one"}));
  std::vector<os::Path> files;
  for (size_t node = 0; attempt != nullptr && node < attempt->nodes.size(); ++node)
    files.push_back(context->jobs.NodeDir(job->id, attempt->number, int(node)) / "series");
  const auto points = size_t(QueryInt(request, "points").value_or(kPoints));
  AnswerFromPool(context, std::move(reply),
                 [files = std::move(files), points]() -> Result<http::Response> {
                   SeriesTable table;
                   for (const os::Path& file : files) table.AddFile(file);
                   return http::JsonResponse(200, json::object{{"series", table.ToJson(points)}});
                 });
}

}  // namespace

void AddSeriesRoutes(RouteTable& table, const ContextPtr& context) {
  using Kind = Param::Kind;
  table.AddLater(
      {.method = "GET",
       .path = "/jobs/{id}/series",
       .id = "getSeries",
       .summary = "Numbers that the ranks of an attempt logged, as curves",
       .query = {{"attempt", Kind::kInt, "else the latest", 1, std::numeric_limits<int32_t>::max()},
                 {"points", Kind::kInt, "of each curve; 2000 unless said", 4, kMostPoints}},
       .answers = {{200, "one curve for each rank and name", "SeriesTable"}},
       .errors = {Code::kNotFound}},
      [context](const Call& call, http::Reply reply) {
        SendSeries(context, call.request, std::move(reply));
      });
}

}  // namespace muster::api
