#include "api/openapi.h"

#include <set>

#include <gmock/gmock.h>

#include "api/schemas.h"
#include "api/testing/api_server.h"

namespace muster::api {
namespace {

using testing::IsEmpty;
using testing::StartsWith;

// One method of one path of the document.
struct Row {
  std::string method, path;  // "get", "/api/v1/jobs/{id}"
  json::object operation;
  std::string id() const { return std::string(GetString(operation, "operationId")); }
  const json::object& answers() const { return operation.at("responses").as_object(); }
  bool open() const { return operation.contains("security"); }
};

// Walks the document that a running server serves, and asks the server for every answer in it.
class OpenApiTest : public testing::Test {
 protected:
  void SetUp() override {
    document_ = server_.GetObject("/openapi.json");
    for (const auto& [path, methods] : document_.at("paths").as_object())
      for (const auto& [method, operation] : methods.as_object())
        rows_.push_back({std::string(method), std::string(path), operation.as_object()});
    over_ = server_.Submit();
    server_.Begin(0);
    server_.End(0);
    running_ = server_.Submit();
    server_.Begin(1);
    const http::Response sweep =
        server_.Send("POST", "/jobs", SpecBody(R"("sweep": {"lr": [1, 2]})"));
    group_ = ParseJson(sweep.body)->at("group").as_string();
  }

  static std::string SpecBody(const std::string& more = {}) {
    return fmt::format(R"({{"spec": {{"run": "train"{}{}}}}})", more.empty() ? "" : ", ", more);
  }
  static std::string Blob() { return "print(1)\n"; }

  // A path with values in it: those of things that exist, or of things that do not.
  std::string Target(const Row& row, bool exists) const {
    std::string target = row.path.substr(kPrefix.size());
    const auto put = [&](std::string_view name, const std::string& value) {
      if (const size_t at = target.find(name); at != target.npos)
        target.replace(at, name.size(), value);
    };
    put("{id}", exists ? std::to_string(running_) : "999999");
    put("{rank}", "0");
    put("{node}", "0");
    put("{group}", exists ? group_ : "sweep-999999");
    put("{sha256}", os::Sha256(Blob()));
    if (row.id() == "searchRankLog" && exists) target += "?text=a";
    return target;
  }
  static std::string Body(const Row& row) {
    if (row.id() == "submitJob" || row.id() == "planJob") return SpecBody();
    if (row.id() == "sendCode") return R"({"files": []})";
    if (row.id() == "sendBlobs")
      return fmt::format("{} {}\n{}", os::Sha256(Blob()), Blob().size(), Blob());
    return row.id() == "sendBlob" ? Blob() : "";
  }
  static std::string Method(const Row& row) {
    std::string upper;
    for (const char c : row.method) upper += char(c & ~0x20);
    return upper;
  }
  http::Response Send(const Row& row, const std::string& target, http::Headers headers = {}) {
    return server_.Send(Method(row), target, Body(row), std::move(headers));
  }
  // The head alone, announcing a body that never comes.
  http::Response SendHead(const Row& row, const std::string& headers) {
    return server_.SendRaw(
        fmt::format("{} {}{} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{}\r\n",
                    Method(row), kPrefix, Target(row, true), headers));
  }

  // Brings the answer about that the document promises for this status.
  http::Response Provoke(const Row& row, int status) {
    const std::string target = Target(row, status != 404);
    switch (status) {
      case 400:
        return Send(row, target + (target.find('?') == target.npos ? "?" : "&") + "nonsense=1");
      case 401:
        return SendHead(row, "Content-Length: 0\r\n");
      case 413:
        return SendHead(row,
                        fmt::format("Authorization: Bearer {}\r\nContent-Length: 5000000000\r\n",
                                    ApiServer::kToken));
      case 409:
        return Send(row, Contrary(row));
      case 204:
        return Send(row, fmt::format("/jobs/{}", over_));
      default:
        break;
    }
    if (status == 200 && (row.id() == "submitJob" || row.id() == "rerunJob")) {
      const http::Headers key{{"Idempotency-Key", row.id()}};
      EXPECT_EQ(Send(row, target, key).status, 201);
      return Send(row, target, key);
    }
    if (status == 200 && row.id() == "updateJob") {
      const JobId queued = server_.Submit("cpu:2", {{"after", json::array{running_}}});
      return Send(row, fmt::format("/jobs/{}/update", queued));
    }
    return Send(row, target);
  }
  // A job in the state that does not allow it.
  std::string Contrary(const Row& row) const {
    if (row.id() == "updateJob") return fmt::format("/jobs/{}/update", running_);
    return row.id() == "removeJob" ? fmt::format("/jobs/{}", running_)
                                   : fmt::format("/jobs/{}/stop", over_);
  }

  void ExpectAsDocumented(const Row& row, const std::string& status, const http::Response& answer) {
    const json::object* content =
        muster::GetObject(row.answers().at(status).as_object(), "content");
    if (content == nullptr) {
      EXPECT_EQ(answer.body, "") << row.id();
      return;
    }
    if (const json::object* media = muster::GetObject(*content, "application/json")) {
      const std::string_view reference = GetString(media->at("schema").as_object(), "$ref");
      const Result<json::value> body = ParseJson(answer.body);
      ASSERT_TRUE(body) << row.id() << " " << status << ": " << answer.body;
      const std::vector<Fault> faults =
          CheckSchema(*body, reference.substr(reference.rfind('/') + 1));
      EXPECT_THAT(faults, IsEmpty())
          << row.id() << " " << status << ": " << answer.body << FaultText(faults, "answer");
    } else {
      EXPECT_THAT(std::string(http::FindHeader(answer.headers, "Content-Type")),
                  StartsWith(std::string(content->begin()->key())));
    }
  }

  ApiServer server_;
  json::object document_;
  std::vector<Row> rows_;
  JobId over_ = 0, running_ = 0;
  std::string group_;
};

TEST_F(OpenApiTest, HasExactlyTheRoutesOfTheRouter) {
  std::set<std::pair<std::string, std::string>> documented, routed;
  for (const Row& row : rows_) documented.emplace(Method(row), row.path);
  for (const http::Route& route : server_.router().routes())
    routed.emplace(route.method, route.pattern);
  EXPECT_EQ(documented, routed);
  EXPECT_EQ(GetString(document_, "openapi"), "3.1.0");
}

TEST_F(OpenApiTest, EveryOperationIsWhole) {
  std::set<std::string> ids;
  for (const Row& row : rows_) {
    EXPECT_TRUE(ids.insert(row.id()).second) << row.id();
    EXPECT_NE(GetString(row.operation, "summary"), "") << row.id();
    for (const char* status : {"400", "413", "default"})
      EXPECT_TRUE(row.answers().contains(status)) << row.id() << " " << status;
    EXPECT_EQ(row.answers().contains("401"), !row.open()) << row.id();
    const bool has_job = row.path.find('{') != row.path.npos && row.id() != "sendBlob";
    EXPECT_EQ(row.answers().contains("404"), has_job) << row.id();
    for (const auto& [status, answer] : row.answers())
      if (status.front() > '2' || status == "default")
        EXPECT_EQ(ToJson(answer.at("content").at("application/json").at("schema")),
                  R"({"$ref":"#/components/schemas/Error"})");
    if (const auto* body = muster::GetObject(row.operation, "requestBody"))
      for (const auto& [media, content] : body->at("content").as_object())
        EXPECT_TRUE(content.as_object().contains("schema")) << row.id();
    if (row.method == "post" && row.id() != "shutDown")
      EXPECT_TRUE(row.operation.contains("requestBody")) << row.id();
  }
}

TEST_F(OpenApiTest, EveryValueInAPathIsListedAsNeeded) {
  for (const Row& row : rows_) {
    std::set<std::string> listed;
    if (const json::array* params = GetArray(row.operation, "parameters"))
      for (const json::value& param : *params) {
        EXPECT_TRUE(param.as_object().contains("schema"));
        if (GetString(param.as_object(), "in") == "path" && GetBool(param.as_object(), "required"))
          listed.emplace(GetString(param.as_object(), "name"));
      }
    const std::vector<std::string> names = PathNames(row.path);
    EXPECT_EQ(listed, std::set<std::string>(names.begin(), names.end())) << row.id();
  }
}

TEST_F(OpenApiTest, EveryDocumentedAnswerIsGivenAsDocumented) {
  int count = 0;
  // What ends or removes something comes later, for the others need it.
  for (const int pass : {0, 1, 2}) {
    for (const Row& row : rows_) {
      for (const auto& [name, answer] : row.answers()) {
        if (name == "default") continue;
        const int status = std::stoi(std::string(name));
        if (pass != (status == 204 ? 2 : status == 202 ? 1 : 0)) continue;
        const http::Response given = Provoke(row, status);
        EXPECT_EQ(given.status, status) << row.id() << ": " << given.body;
        if (given.status == status) ExpectAsDocumented(row, std::string(name), given);
        ++count;
      }
    }
  }
  EXPECT_GT(count, 80);
}

}  // namespace
}  // namespace muster::api
