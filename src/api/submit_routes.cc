#include "api/answers.h"
#include "api/body.h"
#include "api/params.h"
#include "api/plan_queue.h"
#include "api/routes.h"

namespace muster::api {
namespace {

using Outcome = std::expected<lifecycle::SubmitResult, lifecycle::Refusal>;

http::Response SubmitAnswer(const Context& context, const Outcome& outcome) {
  if (!outcome) return FaultyResponse(outcome.error().error, outcome.error().faults);
  json::array jobs;
  for (const JobId id : outcome->jobs) {
    const Result<Job> job = context.jobs.Find(id);
    if (!job) continue;  // removed since the first submit with this key
    jobs.push_back(json::object{{"id", id}, {"name", job->spec.name}, {"state", Name(job->state)}});
  }
  return http::JsonResponse(outcome->repeated ? 200 : 201,
                            json::object{{"jobs", std::move(jobs)},
                                         {"group", outcome->group},
                                         {"repeated", outcome->repeated},
                                         {"warning", outcome->warning}});
}

void Submit(const ContextPtr& context, const Call& call, http::Reply reply) {
  lifecycle::SubmitRequest request;
  request.document = call.body.at("spec");
  request.code_hash = GetString(call.body, "code_hash");
  request.key = IdempotencyKey(call.request);
  request.user = GetString(call.body, "user");
  context->parts.conductor.Submit(
      std::move(request), [context, reply = Share(std::move(reply))](const Outcome& outcome) {
        reply->Send(SubmitAnswer(*context, outcome));
      });
}

void Rerun(const ContextPtr& context, const Call& call, http::Reply reply) {
  const json::object* parameters = GetObject(call.body, "parameters");
  context->parts.conductor.Rerun(
      PathInt(call.request, "id"), IdempotencyKey(call.request),
      std::string(GetString(call.body, "user")), parameters ? *parameters : json::object(),
      [context, reply = Share(std::move(reply))](const Outcome& outcome) {
        reply->Send(SubmitAnswer(*context, outcome));
      });
}

std::vector<Answer> SubmitAnswers() {
  return {{201, "the jobs are on disk: one, or one a combination of a sweep", "Submitted"},
          {200, "the key was seen before: the jobs that it made then", "Submitted"}};
}

}  // namespace

void AddSubmitRoutes(RouteTable& table, const ContextPtr& context) {
  table.AddLater(
      {.method = "POST",
       .path = "/jobs",
       .id = "submitJob",
       .summary = "Submit a job, or a sweep as one job a combination: all or none",
       .takes_key = true,
       .body = "Submit",
       .body_limit = kJsonBodyLimit,
       .answers = SubmitAnswers()},
      [context](const Call& call, http::Reply reply) { Submit(context, call, std::move(reply)); });
  table.AddLater(
      {.method = "POST",
       .path = "/jobs/{id}/rerun",
       .id = "rerunJob",
       .summary = "A new job with the same job file and code, perhaps with other parameters",
       .takes_key = true,
       .body = "Rerun",
       .body_needed = false,
       .body_limit = kJsonBodyLimit,
       .answers = SubmitAnswers(),
       .errors = {Code::kNotFound}},
      [context](const Call& call, http::Reply reply) { Rerun(context, call, std::move(reply)); });
  table.AddLater(
      {.method = "POST",
       .path = "/plan",
       .id = "planJob",
       .summary = "What every rank would get, if the nodes were free; nothing is started",
       .body = "Plan",
       .body_limit = kJsonBodyLimit,
       .answers = {{200, "the order of each node, as it is made", "Orders"}}},
      [plans = std::make_shared<PlanQueue>(context)](const Call& call, http::Reply reply) {
        plans->Add(call.body.at("spec"), std::move(reply));
      });
}

}  // namespace muster::api
