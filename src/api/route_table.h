#pragma once

#include <functional>
#include <vector>

#include "api/operation.h"
#include "base/json.h"
#include "base/result.h"
#include "http/router.h"

namespace muster::api {

// What a handler gets: a request whose path, query, headers and body fit its operation.
struct Call {
  const http::Request& request;  // for the time of the call only
  json::object body;
};

// Fills the router from operations, with the checks that each operation's row asks for put before
// its handler. Used while the server is set up, on one thread.
class RouteTable {
 public:
  using Handler = std::function<Result<http::Response>(const Call&)>;
  using LaterHandler = std::function<void(const Call&, http::Reply)>;

  explicit RouteTable(http::Router& router) : router_(router) {}
  RouteTable(const RouteTable&) = delete;
  RouteTable& operator=(const RouteTable&) = delete;

  void Add(Operation operation, Handler handler);            // answers at once
  void AddLater(Operation operation, LaterHandler handler);  // answers by itself, once
  void AddUpload(Operation operation, http::UploadHandler handler);
  const std::vector<Operation>& operations() const { return operations_; }

 private:
  http::Route RowFor(const Operation& operation) const;

  http::Router& router_;
  std::vector<Operation> operations_;
};

}  // namespace muster::api
