#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/message.h"

namespace muster::http {

using Handler = std::function<void(const Request&, Reply)>;
// For upload routes: receives the head and returns the sink of the body, or the error response.
using UploadHandler = std::function<Result<std::unique_ptr<BodySink>>(const Request& head)>;

// A row of the route table. A test compares the rows with the OpenAPI document.
struct Route {
  std::string method;
  std::string pattern;     // "/api/v1/jobs/{id}/logs"; {name} matches one component
  bool open = false;       // requires no token
  int64_t body_limit = 0;  // bytes; 0 refuses any body with 413
  Handler handler;         // exactly one of the two is set
  UploadHandler upload;
};

// Finds the route of a request. Unknown path: 404 with "did you mean"; known path, other method:
// 405 with Allow.
class Router {
 public:
  void Add(Route route);
  const std::vector<Route>& routes() const { return routes_; }
  struct Match {
    const Route* route = nullptr;  // null if `error` is the response
    std::vector<std::pair<std::string, std::string>> params;
    Response error;
  };
  Match Find(const std::string& method, const std::string& path) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace muster::http
