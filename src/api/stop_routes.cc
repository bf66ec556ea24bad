#include <fmt/format.h>

#include "api/body.h"
#include "api/params.h"
#include "api/routes.h"
#include "base/text.h"

namespace muster::api {
namespace {

constexpr int64_t kHighestPriority = 1000;

// The requesting user, for the job's record.
std::string Asker(const Call& call) {
  const std::string_view user = GetString(call.body, "user");
  return user.empty() ? call.request.peer : Printable(user);
}

void StopJob(Context& context, const Call& call, http::Reply reply) {
  std::optional<int64_t> grace_ms;
  if (const std::string_view grace = GetString(call.body, "grace"); !grace.empty()) {
    const Result<int64_t> parsed = ParseDuration(grace);
    if (!parsed) return reply.Send(http::ErrorResponse(parsed.error()));
    grace_ms = *parsed;
  }
  const JobId id = PathInt(call.request, "id");
  const auto answer = [id, reply = Share(std::move(reply))](const Result<State>& state) {
    if (!state) return reply->Send(http::ErrorResponse(state.error()));
    reply->Send(http::JsonResponse(202, json::object{{"id", id}, {"state", Name(*state)}}));
  };
  if (GetBool(call.body, "confirm_clean"))
    return context.parts.conductor.ConfirmClean(id, Asker(call), answer);
  context.parts.conductor.Stop(id, Asker(call), grace_ms, answer);
}

Result<lifecycle::JobChange> ReadChange(const json::object& body) {
  lifecycle::JobChange change;
  if (body.contains("held")) change.held = GetBool(body, "held");
  if (body.contains("priority")) {
    const int64_t priority = GetInt(body, "priority");
    if (priority < -kHighestPriority || priority > kHighestPriority)
      return Fail(
          Code::kInvalid,
          fmt::format("priority: found {}, expected a whole number from -1000 to 1000", priority));
    change.priority = int(priority);
  }
  const std::string_view time = GetString(body, "time_limit");
  if (time.empty()) return change;
  change.time_limit_ms = 0;
  if (time == "none") return change;
  MUSTER_ASSIGN(change.time_limit_ms, ParseDuration(time));
  if (*change.time_limit_ms < 1000)
    return Fail(Code::kInvalid, "time_limit is shorter than one second",
                "give a time such as 2h, or none");
  return change;
}

void UpdateJob(Context& context, const Call& call, http::Reply reply) {
  const auto change = ReadChange(call.body);
  if (!change) return reply.Send(http::ErrorResponse(change.error()));
  const JobId id = PathInt(call.request, "id");
  context.parts.conductor.Update(
      id, *change, Asker(call), [id, reply = Share(std::move(reply))](const Result<State>& state) {
        if (!state) return reply->Send(http::ErrorResponse(state.error()));
        reply->Send(http::JsonResponse(200, json::object{{"id", id}, {"state", Name(*state)}}));
      });
}

void StopGroup(Context& context, const Call& call, http::Reply reply) {
  const std::string group(call.request.Param("group"));
  context.parts.conductor.StopGroup(
      group, Asker(call), [group, reply = Share(std::move(reply))](Result<int> count) {
        if (!count) return reply->Send(http::ErrorResponse(count.error()));
        reply->Send(http::JsonResponse(202, json::object{{"group", group}, {"stopping", *count}}));
      });
}

}  // namespace

void AddStopRoutes(RouteTable& table, const ContextPtr& context) {
  table.AddLater({.method = "POST",
                  .path = "/jobs/{id}/stop",
                  .id = "stopJob",
                  .summary = "Stop a job; answered once the wish is on disk, before it has stopped",
                  .body = "Stop",
                  .body_needed = false,
                  .body_limit = kJsonBodyLimit,
                  .answers = {{202, "it will stop", "JobState"}},
                  .errors = {Code::kNotFound, Code::kConflict}},
                 [context](const Call& call, http::Reply reply) {
                   StopJob(*context, call, std::move(reply));
                 });
  table.AddLater({.method = "POST",
                  .path = "/jobs/{id}/update",
                  .id = "updateJob",
                  .summary = "Change priority or time limit of a queued job, hold it or release it",
                  .body = "Update",
                  .body_needed = false,
                  .body_limit = kJsonBodyLimit,
                  .answers = {{200, "the new values are on disk", "JobState"}},
                  .errors = {Code::kNotFound, Code::kConflict}},
                 [context](const Call& call, http::Reply reply) {
                   UpdateJob(*context, call, std::move(reply));
                 });
  table.AddLater({.method = "POST",
                  .path = "/groups/{group}/stop",
                  .id = "stopGroup",
                  .summary = "Stop every job of a sweep that is not over",
                  .body = "Asker",
                  .body_needed = false,
                  .body_limit = kJsonBodyLimit,
                  .answers = {{202, "so many will stop", "GroupStopping"}},
                  .errors = {Code::kNotFound}},
                 [context](const Call& call, http::Reply reply) {
                   StopGroup(*context, call, std::move(reply));
                 });
}

}  // namespace muster::api
