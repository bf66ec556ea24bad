#include <fmt/format.h>

#include "api/answers.h"
#include "api/event_stream.h"
#include "api/last_events.h"
#include "api/params.h"
#include "api/routes.h"
#include "base/text.h"

namespace muster::api {
namespace {

constexpr int kPage = 100;
constexpr int kLargestPage = 1000;

bool WantsStream(const http::Request& request) {
  return http::FindHeader(request.headers, "Accept").find("text/event-stream") !=
         std::string_view::npos;
}

// `tail` asks for the newest events, `after` for the ones behind a seq; both in the order of seq.
Result<std::vector<store::EventRow>> EventRows(store::Journal& journal, std::optional<JobId> job,
                                               const http::Request& request) {
  const auto tail = QueryInt(request, "tail"), after = QueryInt(request, "after");
  if (!tail)
    return journal.Events(job, after.value_or(0), int(QueryInt(request, "limit").value_or(kPage)));
  if (after || QueryInt(request, "limit"))
    return Fail(Code::kInvalid, "tail does not go with after or limit",
                "give tail for the newest events, or after and limit for a page");
  return LastEvents(journal, job, size_t(*tail), QueryInt(request, "since").value_or(0));
}

Result<http::Response> EventPage(Context& context, std::optional<JobId> job,
                                 const http::Request& request) {
  MUSTER_ASSIGN(const std::vector<store::EventRow> rows,
                EventRows(context.parts.journal, job, request));
  json::array events;
  for (const store::EventRow& row : rows) events.push_back(EventJson(row));
  return http::JsonResponse(200, json::object{{"events", std::move(events)}});
}

// The start of a stream: after the last received event, after the event in the query, at the
// beginning of a job, or, for all jobs, now.
Result<int64_t> StreamStart(Context& context, std::optional<JobId> job,
                            const http::Request& request) {
  if (QueryInt(request, "limit") || QueryInt(request, "tail") || QueryInt(request, "since"))
    return Fail(Code::kInvalid, "limit, tail and since go with a page of events, not with a stream",
                "omit them, or do not ask for text/event-stream");
  if (const std::string_view last = http::FindHeader(request.headers, "Last-Event-ID");
      !last.empty()) {
    const std::optional<int64_t> seq = ParseInt(last);
    if (seq && *seq >= 0) return *seq;
    return Fail(Code::kInvalid, "the Last-Event-ID is not one of an event stream",
                "send the id of the last event as it came, a number, or leave it away");
  }
  if (const std::optional<int64_t> after = QueryInt(request, "after")) return *after;
  return job ? Result<int64_t>(0) : context.parts.journal.LastEventSeq();
}

void Events(Context& context, std::optional<JobId> job, const http::Request& request,
            http::Reply reply) {
  if (job)
    if (const Result<Job> found = context.jobs.Find(*job); !found)
      return reply.Send(http::ErrorResponse(found.error()));
  if (!WantsStream(request)) {
    Result<http::Response> page = EventPage(context, job, request);
    return reply.Send(page ? *std::move(page) : http::ErrorResponse(page.error()));
  }
  const Result<int64_t> after = StreamStart(context, job, request);
  if (!after) return reply.Send(http::ErrorResponse(after.error()));
  reply.SendStream(EventStreamHead(),
                   std::make_unique<EventStream>(context.jobs, context.parts.journal, job, *after));
}

Operation EventsOperation(std::string path, std::string id, std::string summary,
                          std::vector<Code> errors) {
  using Kind = Param::Kind;
  return {
      .method = "GET",
      .path = std::move(path),
      .id = std::move(id),
      .summary = std::move(summary),
      .query =
          {{"after", Kind::kInt, "only events with a higher seq: the last one of the page before"},
           {"limit", Kind::kInt, "how many at most; default 100", 1, kLargestPage},
           {"tail", Kind::kInt, "instead of after and limit: the newest events", 1, kLargestPage},
           {"since", Kind::kInt, "with tail: only events since this wall time, in milliseconds"}},
      .resumes = true,
      .answers = {{200, "one page, oldest first; a stream for who accepts text/event-stream",
                   "Events"},
                  {200, "one event a row, its seq as id", "", "text/event-stream"}},
      .errors = std::move(errors)};
}

}  // namespace

void AddEventRoutes(RouteTable& table, const ContextPtr& context) {
  table.AddLater(EventsOperation("/jobs/{id}/events", "listJobEvents", "What happened to one job",
                                 {Code::kNotFound}),
                 [context](const Call& call, http::Reply reply) {
                   Events(*context, PathInt(call.request, "id"), call.request, std::move(reply));
                 });
  table.AddLater(EventsOperation("/events", "listEvents", "What happened to all jobs", {}),
                 [context](const Call& call, http::Reply reply) {
                   Events(*context, std::nullopt, call.request, std::move(reply));
                 });
}

}  // namespace muster::api
