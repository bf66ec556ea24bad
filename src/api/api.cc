#include "api/api.h"

#include "api/openapi.h"
#include "api/routes.h"

namespace muster::api {
namespace {

// The document includes its own route, so it is generated after that row is in the table.
void AddDocumentRoute(RouteTable& table, const std::string& version) {
  const auto document = std::make_shared<http::Response>();
  table.Add({.method = "GET",
             .path = "/openapi.json",
             .id = "getOpenApi",
             .summary = "This document",
             .open = true,
             .answers = {{200, "an OpenAPI 3.1 document", "Document"}}},
            [document](const Call&) -> Result<http::Response> { return *document; });
  *document = http::JsonResponse(200, OpenApiDocument(table.operations(), version));
}

}  // namespace

void AddRoutes(http::Router& router, ApiParts& parts) {
  RouteTable table(router);
  const auto context = std::make_shared<Context>(parts);
  AddMetaRoutes(table, context);
  AddSubmitRoutes(table, context);
  AddJobRoutes(table, context);
  AddStopRoutes(table, context);
  AddLogRoutes(table, context);
  AddSeriesRoutes(table, context);
  AddEventRoutes(table, context);
  AddCodeRoutes(table, context);
  AddDocumentRoute(table, parts.version);
}

}  // namespace muster::api
