#include "api/body.h"

#include <fmt/format.h>

#include "api/answers.h"
#include "api/schemas.h"
#include "base/text.h"

namespace muster::api {
namespace {

http::Response Refuse(const Operation& operation, const std::vector<Fault>& faults) {
  const Fault& first = faults.front();
  const std::string where = first.path.empty() ? "" : fmt::format("{}: ", first.path);
  const std::string more =
      faults.size() > 1 ? fmt::format(" (and {} more)", faults.size() - 1) : "";
  Error error{
      Code::kInvalid,
      fmt::format("the body of {} {}{} is not right: {}found {}, expected {}{}", operation.method,
                  kPrefix, operation.path, where, first.found, first.expected, more),
      first.hint.empty()
          ? fmt::format("{}/openapi.json has its schema, {}", kPrefix, operation.body)
          : first.hint,
      0};
  return FaultyResponse(error, faults);
}

}  // namespace

std::expected<json::object, http::Response> ReadBody(const Operation& operation,
                                                     const http::Request& request) {
  if (operation.body.empty() || operation.body_later) return json::object{};
  if (Trim(request.body).empty() && !operation.body_needed) return json::object{};
  // Uses the parser of job files, which rejects what plain JSON parsers accept: duplicate keys,
  // invalid UTF-8, and deep nesting.
  std::expected<json::value, std::vector<Fault>> document =
      ReadDocument(request.body, TextFormat::kJson, nullptr);
  if (!document) return std::unexpected(Refuse(operation, document.error()));
  const std::vector<Fault> faults = CheckSchema(*document, operation.body);
  if (!faults.empty()) return std::unexpected(Refuse(operation, faults));
  return std::move(document->as_object());
}

}  // namespace muster::api
