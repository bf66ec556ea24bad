#include "cli/api.h"

#include <fmt/format.h>

#include "base/text.h"

namespace muster::cli {
namespace {

Code CodeOf(std::string_view name, int status) {
  for (int i = 0; i <= int(Code::kInternal); ++i)
    if (name == CodeName(Code(i))) return Code(i);
  switch (status) {
    case 401:
    case 403:
      return Code::kDenied;
    case 404:
      return Code::kNotFound;
    case 409:
      return Code::kConflict;
    case 413:
      return Code::kTooLarge;
    case 400:
    case 422:
      return Code::kInvalid;
    default:
      return Code::kInternal;
  }
}

std::string FaultLines(const json::object& error) {
  std::string lines;
  const json::array* faults = GetArray(error, "faults");
  if (!faults) return lines;
  for (const json::value& item : *faults) {
    const json::object* fault = item.if_object();
    if (!fault) continue;
    const std::string_view path = GetString(*fault, "path");
    const std::string_view hint = GetString(*fault, "hint");
    lines +=
        fmt::format("\n  {}found {}, expected {}", path.empty() ? "" : fmt::format("{}: ", path),
                    GetString(*fault, "found"), GetString(*fault, "expected"));
    if (!hint.empty()) lines += fmt::format(" ({})", hint);
  }
  return lines;
}

std::string Target(const std::string& target) { return std::string(kApiPrefix) + target; }

bool IsSuccess(const http::Response& response) {
  return response.status >= 200 && response.status < 300;
}

Result<json::object> ObjectOf(const http::Response& response, const std::string& what) {
  if (!IsSuccess(response)) return std::unexpected(ErrorOf(response, what));
  MUSTER_ASSIGN(json::value value, ParseJson(response.body));
  json::object* object = value.if_object();
  if (!object)
    return Fail(Code::kCorrupt, fmt::format("{}: the server's answer is not a JSON object", what),
                "check that --server names a Muster server");
  return std::move(*object);
}

Status StatusOf(const http::Response& response, const std::string& what) {
  if (!IsSuccess(response)) return std::unexpected(ErrorOf(response, what));
  return {};
}

}  // namespace

Error ErrorOf(const http::Response& response, const std::string& what) {
  const auto value = ParseJson(response.body);
  const json::object* body = value ? value->if_object() : nullptr;
  const json::object* error = body ? GetObject(*body, "error") : nullptr;
  if (!error)
    return {CodeOf("", response.status),
            fmt::format("{}: the server answered with status {}", what, response.status),
            "check that the URL names a Muster server"};
  Error made{CodeOf(GetString(*error, "code"), response.status),
             std::string(GetString(*error, "message")) + FaultLines(*error),
             std::string(GetString(*error, "next"))};
  if (response.status == 401 && made.next.empty())
    made.next = "set MUSTER_TOKEN to the token in the server's endpoint.json";
  return made;
}

bool ServerIsAway(const Error& error) {
  return error.code == Code::kUnavailable || error.code == Code::kTimeout;
}

Result<json::object> Api::Get(const std::string& target) {
  MUSTER_ASSIGN(const http::Response response, client_->Send("GET", Target(target)));
  return ObjectOf(response, "GET " + target);
}

Result<json::object> Api::Post(const std::string& target, const json::value& body,
                               const http::Headers& headers) {
  http::Headers all = headers;
  if (!body.is_null()) all.emplace_back("Content-Type", "application/json");
  MUSTER_ASSIGN(const http::Response response,
                client_->Send("POST", Target(target), body.is_null() ? "" : ToJson(body), all));
  return ObjectOf(response, "POST " + target);
}

Status Api::Delete(const std::string& target) {
  MUSTER_ASSIGN(const http::Response response, client_->Send("DELETE", Target(target)));
  return StatusOf(response, "DELETE " + target);
}

Status Api::PutFile(const std::string& target, const os::Path& file) {
  MUSTER_ASSIGN(const http::Response response, client_->SendFile("PUT", Target(target), file));
  return StatusOf(response, "PUT " + target);
}

Status Api::PutBytes(const std::string& target, std::string_view bytes) {
  MUSTER_ASSIGN(const http::Response response, client_->Send("PUT", Target(target), bytes));
  return StatusOf(response, "PUT " + target);
}

Result<http::Response> Api::Read(const std::string& target, const http::Headers& headers,
                                 const std::function<bool(std::string_view)>& take, int64_t idle_ms,
                                 const std::function<bool()>& idle) {
  MUSTER_ASSIGN(http::Response response,
                client_->Read(Target(target), headers, take, idle_ms, idle));
  MUSTER_TRY(StatusOf(response, "GET " + target));
  return response;
}

Status Api::Reconnect() {
  MUSTER_ASSIGN(client_, reopen_());
  return {};
}

}  // namespace muster::cli
