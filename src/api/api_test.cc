#include "api/api.h"

#include <gmock/gmock.h>

#include "api/testing/api_server.h"

namespace muster::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ApiTest : public testing::Test {
 protected:
  json::object ErrorOf(const http::Response& response, int status) {
    EXPECT_EQ(response.status, status) << response.body;
    const Result<json::value> body = ParseJson(response.body);
    if (!body || !body->is_object() || !body->as_object().contains("error")) return {};
    return body->at("error").as_object();
  }
  std::vector<JobId> Ids(const json::object& list) {
    std::vector<JobId> ids;
    for (const json::value& row : list.at("jobs").as_array())
      ids.push_back(row.at("id").as_int64());
    return ids;
  }
  void WriteLog(JobId job, int rank, std::string_view text) {
    const os::Path dir = server_.data() / fmt::format("jobs/{}/attempts/1/node0", job);
    ASSERT_TRUE(os::MakeDirs(dir));
    ASSERT_TRUE(os::WriteFileAtomic(dir / fmt::format("rank{}.log", rank), text, 0644, false));
  }

  ApiServer server_;
};

TEST_F(ApiTest, SubmitReturnsTheJobAndIsIdempotentByKey) {
  const http::Headers key{{"Idempotency-Key", "once"}};
  const std::string body = R"({"spec": {"name": "mine", "run": "train"}, "user": "ada"})";
  const http::Response first = server_.Send("POST", "/jobs", body, key);
  EXPECT_EQ(first.status, 201);
  const json::value answer = *ParseJson(first.body);
  const JobId id = answer.at("jobs").at(0).at("id").as_int64();
  EXPECT_EQ(answer.at("jobs").at(0).at("name").as_string(), "mine");
  EXPECT_FALSE(answer.at("repeated").as_bool());
  const http::Response again = server_.Send("POST", "/jobs", body, key);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(ParseJson(again.body)->at("jobs").at(0).at("id").as_int64(), id);
  EXPECT_TRUE(ParseJson(again.body)->at("repeated").as_bool());
  EXPECT_THAT(Ids(server_.GetObject("/jobs")), ElementsAre(id));
  EXPECT_EQ(GetString(server_.GetObject(fmt::format("/jobs/{}", id)), "user"), "ada");
}

TEST_F(ApiTest, FaultyJobFileIsRefusedWithAllFaults) {
  const json::object error =
      ErrorOf(server_.Send("POST", "/jobs", R"({"spec": {"rum": "train", "retries": -1}})"), 400);
  EXPECT_EQ(GetString(error, "code"), "invalid");
  ASSERT_NE(GetArray(error, "faults"), nullptr);
  EXPECT_GE(GetArray(error, "faults")->size(), 2u);
  EXPECT_THAT(Ids(server_.GetObject("/jobs")), testing::IsEmpty());
}

TEST_F(ApiTest, UnknownCodeHashIsRefused) {
  for (const std::string& hash : {std::string("../../etc"), std::string(64, 'a')}) {
    const json::object body{{"spec", json::object{{"run", "x"}}}, {"code_hash", hash}};
    ErrorOf(server_.Send("POST", "/jobs", ToJson(body)), 400);
  }
}

TEST_F(ApiTest, PagesAreNewestFirstWithoutGapsOrDuplicates) {
  std::vector<JobId> submitted;
  for (int i = 0; i < 7; ++i) submitted.insert(submitted.begin(), server_.Submit());
  std::vector<JobId> seen;
  std::string target = "/jobs?limit=3";
  for (int page = 0; page < 3; ++page) {
    const json::object list = server_.GetObject(target);
    for (const JobId id : Ids(list)) seen.push_back(id);
    if (list.at("next").is_null()) break;
    target = fmt::format("/jobs?limit=3&before={}", list.at("next").as_int64());
  }
  EXPECT_EQ(seen, submitted);
  // An exactly full last page has no next page.
  EXPECT_TRUE(server_.GetObject("/jobs?limit=7").at("next").is_null());
}

TEST_F(ApiTest, ListsCanBeFiltered) {
  const JobId first = server_.Submit("cpu:2", {{"name", "a"}});
  const JobId second = server_.Submit("cpu:2", {{"name", "b"}});  // must wait
  EXPECT_THAT(Ids(server_.GetObject("/jobs?name=a")), ElementsAre(first));
  EXPECT_THAT(Ids(server_.GetObject("/jobs?state=queued")), ElementsAre(second));
  EXPECT_THAT(Ids(server_.GetObject("/jobs?state=starting,queued")), ElementsAre(second, first));
  const json::object error = ErrorOf(server_.Get("/jobs?stat=queued"), 400);
  EXPECT_EQ(GetString(error, "next"), "did you mean state?");
}

TEST_F(ApiTest, JobShowsSpecAttemptsFoldersAndProgress) {
  const JobId id = server_.Submit(
      "cpu:2",
      {{"outputs",
        json::object{{"model", "/tmp/model"}, {"log", nullptr}, {"far", "file:///a%20b/c"}}}});
  server_.Begin(0);
  WriteLog(id, 0, "");
  const os::Path attempt = server_.data() / fmt::format("jobs/{}/attempts/1", id);
  const std::string target = fmt::format("/jobs/{}", id);
  EXPECT_FALSE(server_.GetObject(target).contains("progress"));
  ASSERT_TRUE(os::WriteFileAtomic(attempt / "node0/series",
                                  "{\"rank\":1,\"values\":{\"loss\":9}}\n"
                                  "{\"rank\":0,\"values\":{\"loss\":0.5}}\n"));
  const json::object job = server_.GetObject(target);
  EXPECT_EQ(GetString(job, "state"), "running");
  EXPECT_EQ(job.at("attempts").as_array().size(), 1u);
  EXPECT_EQ(job.at("ranks").as_array().size(), 2u);
  EXPECT_TRUE(job.at("verdict").is_null());
  EXPECT_EQ(job.at("folders").at("logs").as_string(), attempt.string());
  EXPECT_EQ(job.at("folders").at("outputs").at("model").as_string(), "/tmp/model");
  EXPECT_EQ(job.at("folders").at("outputs").at("far").as_string(), "/a b/c");
  EXPECT_EQ(job.at("folders").at("outputs").at("log").as_string(),
            (attempt.parent_path().parent_path() / "outputs/log").string());
  EXPECT_EQ(job.at("progress").at("values").at("loss").as_double(), 0.5);
}

TEST_F(ApiTest, FailedJobShowsItsVerdict) {
  const JobId id = server_.Submit();
  server_.Begin(0);
  server_.End(0, {.how = ExitClass::kExitCode, .code = 7});
  const json::object job = server_.GetObject(fmt::format("/jobs/{}", id));
  EXPECT_EQ(GetString(job, "state"), "failed");
  EXPECT_TRUE(job.at("verdict").is_object());
}

TEST_F(ApiTest, StopAcceptsAGracePeriodAndRefusesInvalidOnes) {
  const JobId id = server_.Submit();
  server_.Begin(0);
  const std::string target = fmt::format("/jobs/{}/stop", id);
  ErrorOf(server_.Send("POST", target, R"({"grace": "soon"})"), 400);
  ErrorOf(server_.Send("POST", target, R"({"grace": "-5s"})"), 400);
  ErrorOf(server_.Send("POST", target, R"({"grace": 5})"), 400);
  EXPECT_EQ(GetString(ErrorOf(server_.Send("POST", target, R"({"grase": "5s"})"), 400), "next"),
            "did you mean grace?");
  const http::Response answer = server_.Send("POST", target, R"({"grace": "3s", "user": "ada"})");
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(ParseJson(answer.body)->at("state").as_string(), "stopping");
  int64_t grace = 0;
  server_.OnLoop([&] { grace = server_.engine().stops.at(0).second.grace_ms; });
  EXPECT_EQ(grace, 3000);
}

TEST_F(ApiTest, WhyShowsPositionAndState) {
  server_.Submit();
  const JobId id = server_.Submit();
  const json::object why = server_.GetObject(fmt::format("/jobs/{}/why", id));
  EXPECT_EQ(GetString(why, "state"), "queued");
  EXPECT_EQ(GetInt(why, "position"), 1);
  EXPECT_NE(GetString(why, "text"), "");
}

TEST_F(ApiTest, NodesShowTheirJobs) {
  const JobId id = server_.Submit();
  const json::object nodes = server_.GetObject("/nodes");
  const json::value& node = nodes.at("nodes").at(0);
  EXPECT_EQ(node.at("devices").at("cpu").at("total").as_int64(), 2);
  EXPECT_EQ(node.at("devices").at("cpu").at("used").as_int64(), 2);
  EXPECT_EQ(node.at("devices").at("cpu").at("free").as_int64(), 0);
  EXPECT_EQ(node.at("jobs").at(0).as_int64(), id);
}

TEST_F(ApiTest, CodeIsUploadedOnceInPieces) {
  const std::string blob = "print('hello')\n";
  const std::string sum = os::Sha256(blob);
  const std::string manifest = fmt::format(
      R"({{"files": [{{"path": "train.py", "sha256": "{}", "size": {}}}]}})", sum, blob.size());
  const json::value before = *ParseJson(server_.Send("POST", "/code", manifest).body);
  EXPECT_FALSE(before.at("complete").as_bool());
  EXPECT_EQ(before.at("missing").at(0).as_string(), sum);
  EXPECT_EQ(server_.Send("PUT", "/code/blobs/" + sum, blob).status, 201);
  const json::value after = *ParseJson(server_.Send("POST", "/code", manifest).body);
  EXPECT_TRUE(after.at("complete").as_bool());
  const std::string hash(after.at("hash").as_string());
  EXPECT_EQ(*os::ReadFile(server_.data() / "code" / hash / "train.py"), blob);
  const json::object body{{"spec", json::object{{"run", "train.py"}, {"code", "/home/ada/x"}}},
                          {"code_hash", hash}};
  EXPECT_EQ(server_.Send("POST", "/jobs", ToJson(body)).status, 201);
}

TEST_F(ApiTest, BlobWithAWrongHashIsRefused) {
  const std::string sum(64, 'a');
  const json::object error = ErrorOf(server_.Send("PUT", "/code/blobs/" + sum, "something"), 400);
  EXPECT_EQ(GetString(error, "code"), "invalid");
  const std::string manifest =
      fmt::format(R"({{"files": [{{"path": "x", "sha256": "{}", "size": 9}}]}})", sum);
  EXPECT_FALSE(ParseJson(server_.Send("POST", "/code", manifest).body)->at("complete").as_bool());
}

TEST_F(ApiTest, ManifestWithAPathOutsideIsRefused) {
  const std::string manifest = fmt::format(
      R"({{"files": [{{"path": "../evil", "sha256": "{}", "size": 9}}]}})", std::string(64, 'a'));
  ErrorOf(server_.Send("POST", "/code", manifest), 400);
  ErrorOf(server_.Send("POST", "/code", "nonsense"), 400);
}

TEST_F(ApiTest, ChunkedUploadIsRefused) {
  const http::Response answer = server_.SendRaw(fmt::format(
      "PUT /api/v1/code/blobs/{} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n"
      "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\nx\r\n0\r\n\r\n",
      os::Sha256("x"), ApiServer::kToken));
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("Content-Length"));
}

TEST_F(ApiTest, LogStreamCanBeResumedOverHttp) {
  const JobId id = server_.Submit();
  server_.Begin(0);
  WriteLog(id, 0, "one\ntwo\n");
  WriteLog(id, 1, "eins\n");
  server_.End(0);
  const std::string target = fmt::format("/jobs/{}/logs", id);
  const http::Response all = server_.Get(target + "?follow=1");
  EXPECT_THAT(all.body, HasSubstr("one\\ntwo\\n"));
  EXPECT_THAT(all.body, HasSubstr("event: end\ndata: {\"state\":\"succeeded\""));
  const http::Response rest = server_.Get(target, {{"Last-Event-ID", "1;0:4,1:5"}});
  EXPECT_THAT(rest.body, HasSubstr("\"offset\":4,\"text\":\"two\\n\""));
  EXPECT_THAT(rest.body, testing::Not(HasSubstr("eins")));
  ErrorOf(server_.Get(target, {{"Last-Event-ID", "nonsense"}}), 400);
  ErrorOf(server_.Get(target, {{"Last-Event-ID", "5;0:1"}}), 400);
  ErrorOf(server_.Get(target + "?attempt=2"), 404);
  ErrorOf(server_.Get(target + "?rank=2"), 404);
}

TEST_F(ApiTest, LogOfARankIsServedUnchanged) {
  const JobId id = server_.Submit();
  server_.Begin(0);
  WriteLog(id, 0, std::string("a\nb\xff\x00\nc\n", 8));
  const std::string target = fmt::format("/jobs/{}/ranks/0/log", id);
  const http::Response all = server_.Get(target);
  EXPECT_EQ(all.body, std::string("a\nb\xff\x00\nc\n", 8));
  EXPECT_EQ(http::FindHeader(all.headers, "X-Muster-Size"), "8");
  const http::Response tail = server_.Get(target + "?tail=1");
  EXPECT_EQ(tail.body, "c\n");
  EXPECT_EQ(http::FindHeader(tail.headers, "X-Muster-Offset"), "6");
  EXPECT_EQ(server_.Get(target + "?offset=2&limit=1").body, "b");
  EXPECT_EQ(server_.Get(target + "?offset=99").body, "");
  ErrorOf(server_.Get(target + "?offset=1&tail=1"), 400);
  ErrorOf(server_.Get(fmt::format("/jobs/{}/ranks/9/log", id)), 404);
  ErrorOf(server_.Get(target + "?attempt=2"), 404);
}

TEST_F(ApiTest, LogsOfAQueuedJobAreEmpty) {
  server_.Submit();
  const JobId id = server_.Submit();
  EXPECT_EQ(server_.Get(fmt::format("/jobs/{}/ranks/1/log", id)).body, "");
  EXPECT_EQ(server_.Get(fmt::format("/jobs/{}/logs", id)).status, 200);
  ErrorOf(server_.Get(fmt::format("/jobs/{}/ranks/2/log", id)), 404);
}

TEST_F(ApiTest, EventsAreAPageOrAStream) {
  const JobId id = server_.Submit();
  server_.Begin(0);
  server_.End(0);
  const std::string target = fmt::format("/jobs/{}/events", id);
  const json::object page = server_.GetObject(target);
  const json::array& events = page.at("events").as_array();
  ASSERT_GE(events.size(), 2u);
  const int64_t first = events[0].at("seq").as_int64();
  EXPECT_EQ(server_.GetObject(fmt::format("{}?after={}&limit=1", target, first))
                .at("events")
                .at(0)
                .at("seq")
                .as_int64(),
            events[1].at("seq").as_int64());
  const http::Headers stream{{"Accept", "text/event-stream"}};
  const http::Response all = server_.Get(target, stream);  // ends, for the job is over
  EXPECT_EQ(http::FindHeader(all.headers, "Content-Type"), "text/event-stream");
  EXPECT_THAT(all.body, testing::StartsWith(fmt::format("id: {}\n", first)));
  http::Headers resume = stream;
  resume.emplace_back("Last-Event-ID", std::to_string(first));
  EXPECT_THAT(server_.Get(target, resume).body,
              testing::StartsWith(fmt::format("id: {}\n", events[1].at("seq").as_int64())));
  resume.back().second = "x";
  ErrorOf(server_.Get(target, resume), 400);
  ErrorOf(server_.Get(target + "?limit=5", stream), 400);
}

TEST_F(ApiTest, ShutdownRespondsAndThenEnds) {
  EXPECT_EQ(server_.Send("POST", "/shutdown").status, 202);
  server_.WaitForShutdown();
}

TEST_F(ApiTest, OpenRoutesNeedNoToken) {
  for (const char* path : {"version", "health", "openapi.json", "schema/job.json"})
    EXPECT_EQ(server_
                  .SendRaw(fmt::format("GET /api/v1/{} HTTP/1.1\r\nHost: localhost\r\n"
                                       "Connection: close\r\n\r\n",
                                       path))
                  .status,
              200)
        << path;
  EXPECT_EQ(
      server_.SendRaw("GET /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
          .status,
      401);
}

}  // namespace
}  // namespace muster::api
