#include "api/route_table.h"

#include <utility>

#include "api/body.h"
#include "api/params.h"

namespace muster::api {

http::Route RouteTable::RowFor(const Operation& operation) const {
  http::Route row;
  row.method = operation.method;
  row.pattern = std::string(kPrefix) + operation.path;
  row.open = operation.open;
  row.body_limit = operation.body_limit;
  return row;
}

void RouteTable::AddLater(Operation operation, LaterHandler handler) {
  http::Route row = RowFor(operation);
  row.handler = [operation, handler = std::move(handler)](const http::Request& request,
                                                          http::Reply reply) {
    if (const Status status = CheckParams(operation, request); !status)
      return reply.Send(http::ErrorResponse(status.error()));
    auto body = ReadBody(operation, request);
    if (!body) return reply.Send(std::move(body).error());
    handler(Call{request, *std::move(body)}, std::move(reply));
  };
  router_.Add(std::move(row));
  operations_.push_back(std::move(operation));
}

void RouteTable::Add(Operation operation, Handler handler) {
  AddLater(std::move(operation),
           [handler = std::move(handler)](const Call& call, http::Reply reply) {
             Result<http::Response> answer = handler(call);
             reply.Send(answer ? *std::move(answer) : http::ErrorResponse(answer.error()));
           });
}

void RouteTable::AddUpload(Operation operation, http::UploadHandler handler) {
  http::Route row = RowFor(operation);
  row.upload = [operation, handler = std::move(handler)](
                   const http::Request& head) -> Result<std::unique_ptr<http::BodySink>> {
    MUSTER_TRY(CheckParams(operation, head));
    return handler(head);
  };
  router_.Add(std::move(row));
  operations_.push_back(std::move(operation));
}

}  // namespace muster::api
