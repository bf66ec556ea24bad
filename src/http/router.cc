#include "http/router.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::http {
namespace {

using Params = std::vector<std::pair<std::string, std::string>>;

constexpr size_t kLongestWordShown = 200;

// Removes the first component of `rest`, which begins with '/' or is empty.
std::string_view NextComponent(std::string_view& rest) {
  rest.remove_prefix(1);
  const size_t end = std::min(rest.find('/'), rest.size());
  const std::string_view component = rest.substr(0, end);
  rest.remove_prefix(end);
  return component;
}

bool IsParam(std::string_view component) {
  return component.size() > 2 && component.front() == '{' && component.back() == '}';
}

std::optional<Params> MatchPattern(std::string_view pattern, std::string_view path) {
  Params params;
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = NextComponent(pattern);
    const std::string_view found = NextComponent(path);
    if (IsParam(wanted) && !found.empty()) {
      params.emplace_back(wanted.substr(1, wanted.size() - 2), found);
    } else if (wanted != found) {
      return std::nullopt;
    }
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return params;
}

// The pattern with the components of the path in its {placeholders}, so that a suggestion can be
// pasted.
std::string Concrete(std::string_view pattern, std::string_view path) {
  std::string concrete;
  while (!pattern.empty()) {
    const std::string_view wanted = NextComponent(pattern);
    const std::string_view found = path.empty() ? std::string_view() : NextComponent(path);
    concrete += '/';
    concrete += IsParam(wanted) && !found.empty() ? found : wanted;
  }
  return concrete;
}

Response NotFound(const std::vector<Route>& routes, const std::string& path) {
  std::vector<std::string> concrete;
  for (const Route& route : routes) concrete.push_back(Concrete(route.pattern, path));
  const std::vector<std::string_view> candidates(concrete.begin(), concrete.end());
  const std::string_view close =
      path.size() > kLongestWordShown ? std::string_view() : DidYouMean(path, candidates);
  return ErrorResponse({Code::kNotFound,
                        fmt::format("there is no {}", Printable(path.substr(0, kLongestWordShown))),
                        close.empty() ? "GET /api/v1/openapi.json lists every route"
                                      : fmt::format("did you mean {}?", close)});
}

Response NotAllowed(const std::string& method, const std::string& path,
                    const std::set<std::string>& allowed) {
  const std::string list = Join(std::vector<std::string>(allowed.begin(), allowed.end()), ", ");
  Response response = ErrorResponse(
      {Code::kInvalid,
       fmt::format("{} cannot be used on {}", Printable(method.substr(0, kLongestWordShown)),
                   Printable(path.substr(0, kLongestWordShown))),
       fmt::format("use {}", list)});
  response.status = 405;
  response.headers.emplace_back("Allow", list);
  return response;
}

}  // namespace

void Router::Add(Route route) { routes_.push_back(std::move(route)); }

Router::Match Router::Find(const std::string& method, const std::string& path) const {
  std::set<std::string> allowed;
  Match as_get;  // the GET route also answers HEAD, unless HEAD has a route
  for (const Route& route : routes_) {
    auto params = MatchPattern(route.pattern, path);
    if (!params) continue;
    if (route.method == method) return {&route, std::move(*params), {}};
    if (route.method == "GET" && method == "HEAD" && as_get.route == nullptr) {
      as_get = {&route, std::move(*params), {}};
    }
    allowed.insert(route.method);
    if (route.method == "GET") allowed.insert("HEAD");
  }
  if (as_get.route != nullptr) return as_get;
  return {
      nullptr, {}, allowed.empty() ? NotFound(routes_, path) : NotAllowed(method, path, allowed)};
}

}  // namespace muster::http
