#include "api/routes.h"
#include "model/spec_reader.h"

namespace muster::api {
namespace {

json::object DevicesJson(const lifecycle::NodeUse& node) {
  json::object devices;
  for (const auto& [kind, total] : node.info.devices) {
    const auto held = node.used.find(kind);
    const int used = held == node.used.end() ? 0 : held->second;
    const auto model = node.info.models.find(kind);
    devices[kind] = {{"total", total},
                     {"used", used},
                     {"free", total - used},
                     {"model", model == node.info.models.end() ? "" : model->second}};
  }
  return devices;
}

json::object NodeJson(const lifecycle::NodeUse& node) {
  const json::array jobs(node.jobs.begin(), node.jobs.end());
  const json::array unproven(node.unproven.begin(), node.unproven.end());
  return {{"name", node.info.name},
          {"address", node.info.address},
          {"virtual", node.info.is_virtual},
          {"devices", DevicesJson(node)},
          {"machine", node.info.machine.empty() ? node.info.name : node.info.machine},
          {"memory", json::object{{"total", node.info.memory}, {"used", node.used_memory}}},
          {"jobs", jobs},
          {"unproven", unproven}};
}

http::Response NodesAnswer(const lifecycle::Conductor& conductor) {
  json::array nodes;
  for (const lifecycle::NodeUse& node : conductor.Nodes()) nodes.push_back(NodeJson(node));
  return http::JsonResponse(200, json::object{{"nodes", std::move(nodes)}});
}

http::Response VersionAnswer(const ApiParts& parts) {
  return http::JsonResponse(200, json::object{{"name", "muster"},
                                              {"version", parts.version},
                                              {"commit", parts.commit},
                                              {"build_date", parts.build_date},
                                              {"api", "v1"}});
}

}  // namespace

void AddMetaRoutes(RouteTable& table, const ContextPtr& context) {
  table.Add(
      {.method = "GET",
       .path = "/version",
       .id = "getVersion",
       .summary = "What runs here",
       .open = true,
       .answers = {{200, "name and version of the server", "Version"}}},
      [context](const Call&) -> Result<http::Response> { return VersionAnswer(context->parts); });
  table.Add({.method = "GET",
             .path = "/health",
             .id = "getHealth",
             .summary = "Whether the server answers",
             .open = true,
             .answers = {{200, "it does", "Health"}}},
            [](const Call&) -> Result<http::Response> {
              return http::JsonResponse(200, json::object{{"status", "ok"}});
            });
  table.Add({.method = "GET",
             .path = "/schema/job.json",
             .id = "getJobSchema",
             .summary = "The JSON Schema of the job file",
             .open = true,
             .answers = {{200, "a JSON Schema, draft 2020-12", "Document"}}},
            [answer = http::JsonResponse(200, JobFileSchema())](
                const Call&) -> Result<http::Response> { return answer; });
  table.Add({.method = "GET",
             .path = "/nodes",
             .id = "listNodes",
             .summary = "The machines, their devices, and who holds them",
             .answers = {{200, "all nodes, in placement order", "Nodes"}}},
            [context](const Call&) -> Result<http::Response> {
              return NodesAnswer(context->parts.conductor);
            });
  table.AddLater({.method = "POST",
                  .path = "/shutdown",
                  .id = "shutDown",
                  .summary = "End the server; jobs go on",
                  .answers = {{202, "it ends after this answer", "ShuttingDown"}}},
                 [context](const Call&, http::Reply reply) {
                   // Runs after this handler, and so after the answer is on its way.
                   context->parts.loop.Post([context] { context->parts.shutdown(); });
                   reply.Send(http::JsonResponse(202, json::object{{"status", "shutting_down"}}));
                 });
}

}  // namespace muster::api
