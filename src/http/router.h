#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/message.h"

namespace muster::http {

using Handler = std::function<void(const Request&, Reply)>;
// For upload routes: sees the head alone, returns where the body goes, or the error that answers
// it.
using UploadHandler = std::function<Result<std::unique_ptr<BodySink>>(const Request& head)>;

// One row of the table of routes. The OpenAPI document is checked against these rows.
struct Route {
  std::string method;
  std::string pattern;     // "/api/v1/jobs/{id}/logs"; {name} matches one component
  bool open = false;       // answered without a token
  int64_t body_limit = 0;  // bytes; 0: any body is refused with 413
  Handler handler;         // one of the two
  UploadHandler upload;
};

// Finds the row for a request. Unknown path: 404 with "did you mean"; known path, other method: 405
// with Allow.
class Router {
 public:
  void Add(Route route);
  const std::vector<Route>& routes() const { return routes_; }
  struct Match {
    const Route* route = nullptr;  // null: `error` is the answer
    std::vector<std::pair<std::string, std::string>> params;
    Response error;
  };
  Match Find(const std::string& method, const std::string& path) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace muster::http
