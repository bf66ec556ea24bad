#include "api/openapi.h"

#include <map>
#include <set>

#include <fmt/format.h>

#include "api/schemas.h"
#include "http/message.h"

namespace muster::api {
namespace {

constexpr int kUnauthorized = 401;

json::object Reference(std::string_view schema) {
  return {{"$ref", fmt::format("#/components/schemas/{}", schema)}};
}

json::object SchemaOf(const Param& param) {
  switch (param.kind) {
    case Param::Kind::kInt: {
      json::object schema{{"type", "integer"}, {"minimum", param.min}};
      if (param.max != std::numeric_limits<int64_t>::max()) schema["maximum"] = param.max;
      return schema;
    }
    case Param::Kind::kFlag:
      return {{"type", "string"}, {"enum", {"1", "0", "true", "false"}}};
    case Param::Kind::kSha256:
      return {{"type", "string"}, {"pattern", "^[0-9a-f]{64}$"}};
    case Param::Kind::kStates:
    case Param::Kind::kText:
      return {{"type", "string"}, {"maxLength", kTextLimit}};
  }
  return {};
}

json::object ParamRow(const Param& param, const char* in) {
  json::object row{{"name", param.name}, {"in", in}, {"description", param.about}};
  if (std::string_view(in) == "path") row["required"] = true;
  row["schema"] = SchemaOf(param);
  return row;
}

json::array ParamsOf(const Operation& operation) {
  json::array params;
  for (const std::string& name : PathNames(operation.path))
    params.push_back(ParamRow(PathParam(name), "path"));
  for (const Param& param : operation.query) params.push_back(ParamRow(param, "query"));
  const auto header = [&](const char* name, const char* about, int limit) {
    params.push_back(json::object{{"name", name},
                                  {"in", "header"},
                                  {"description", about},
                                  {"schema", {{"type", "string"}, {"maxLength", limit}}}});
  };
  if (operation.takes_key)
    header("Idempotency-Key", "the same key again answers with what it made the first time", 128);
  if (operation.resumes)
    header("Last-Event-ID", "the id of the last event that came: the stream goes on after it",
           32768);
  return params;
}

json::object BodyOf(const Operation& operation) {
  const json::object schema = operation.uploads
                                  ? json::object{{"type", "string"}, {"format", "binary"}}
                                  : Reference(operation.body);
  const char* media = operation.uploads ? "application/octet-stream" : "application/json";
  return {{"required", operation.body_needed}, {"content", {{media, {{"schema", schema}}}}}};
}

json::object AnswerRow(const Answer& answer) {
  json::object row{{"description", answer.about}};
  if (!answer.schema.empty()) {
    row["content"] = {{answer.media, {{"schema", Reference(answer.schema)}}}};
  } else if (answer.media != "application/json") {
    row["content"] = {{answer.media, {{"schema", {{"type", "string"}}}}}};
  }
  return row;
}

const char* About(int status) {
  switch (status) {
    case 400:
      return "something in the request is not right; the message says what";
    case 401:
      return "no token came, or not the right one";
    case 404:
      return "the thing that the path names does not exist";
    case 409:
      return "the thing is in a state that does not allow this";
    case 413:
      return "the body is larger than this route takes";
    case 422:
      return "the bytes do not have the sum that they were sent under";
    default:
      return "it did not work; the message says why";
  }
}

json::object AnswersOf(const Operation& operation) {
  std::map<int, json::object> rows;  // by status
  for (const Answer& answer : operation.answers) {
    json::object row = AnswerRow(answer);
    json::object& there = rows[answer.status];
    // One status with two media types: the contents stand side by side.
    if (const auto* content = GetObject(there, "content"); content && row.contains("content")) {
      json::object both = *content;
      for (const auto& [media, body] : row.at("content").as_object()) both[media] = body;
      there["content"] = std::move(both);
    } else {
      there = std::move(row);
    }
  }
  std::set<int> failures{http::StatusOf(Code::kInvalid), http::StatusOf(Code::kTooLarge)};
  if (!operation.open) failures.insert(kUnauthorized);
  for (const Code code : operation.errors) failures.insert(http::StatusOf(code));
  for (const int status : failures) rows[status] = AnswerRow({status, About(status), "Error"});
  json::object answers;
  for (auto& [status, row] : rows) answers[std::to_string(status)] = std::move(row);
  answers["default"] = AnswerRow({0, About(0), "Error"});
  return answers;
}

json::object OperationRow(const Operation& operation) {
  json::object row{{"operationId", operation.id}, {"summary", operation.summary}};
  if (json::array params = ParamsOf(operation); !params.empty())
    row["parameters"] = std::move(params);
  if (!operation.body.empty() || operation.uploads) row["requestBody"] = BodyOf(operation);
  row["responses"] = AnswersOf(operation);
  if (operation.open) row["security"] = json::array{};
  return row;
}

std::string LowerMethod(std::string_view method) {
  std::string lower;
  for (const char c : method) lower += char(c | 0x20);
  return lower;
}

}  // namespace

json::object OpenApiDocument(const std::vector<Operation>& operations, const std::string& version) {
  json::object paths;
  for (const Operation& operation : operations) {
    const std::string path = std::string(kPrefix) + operation.path;
    json::value& row = paths[path];
    if (row.is_null()) row = json::object{};
    row.as_object()[LowerMethod(operation.method)] = OperationRow(operation);
  }
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "Muster"},
            {"version", version},
            {"description",
             "Jobs, their logs and their events. docs/formats/http_api.md has it in words."},
            {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
          {"servers", json::array{json::object{{"url", "/"}}}},
          {"security", json::array{json::object{{"token", json::array{}}}}},
          {"paths", std::move(paths)},
          {"components",
           {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
            {"schemas", Schemas()}}}};
}

}  // namespace muster::api
