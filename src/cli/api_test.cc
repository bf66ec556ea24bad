#include "cli/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/job_list.h"
#include "cli/raw_log.h"
#include "cli/submit.h"
#include "cli/testing/capture_screen.h"
#include "cli/testing/fake_client.h"
#include "cli/upload.h"
#include "cli/waiting.h"
#include "os/temp_dir.h"

namespace muster::cli {
namespace {

using testing::HasSubstr;

class ApiTest : public testing::Test {
 protected:
  ApiTest()
      : api_(
            server_.NewClient(),
            [this]() -> Result<std::unique_ptr<http::Client>> { return server_.NewClient(); },
            "http://127.0.0.1:1") {}

  FakeServer server_;
  Api api_;
};

TEST_F(ApiTest, ErrorResponsesBecomeErrorsWithTheirCode) {
  server_.Add(409, R"({"error":{"code":"conflict","message":"job 1 has ended","next":"look"}})");
  const auto answer = api_.Get("/jobs/1");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kConflict);
  EXPECT_EQ(answer.error().text, "job 1 has ended");
  EXPECT_EQ(answer.error().next, "look");
}

TEST_F(ApiTest, ErrorListsTheFaults) {
  server_.Add(400, R"({"error":{"code":"invalid","message":"refused","next":"","faults":[
      {"path":"after","line":0,"column":0,"found":"job 9","expected":"a job that exists","hint":"see ps"}]}})");
  EXPECT_EQ(api_.Post("/jobs", json::object()).error().text,
            "refused\n  after: found job 9, expected a job that exists (see ps)");
}

TEST_F(ApiTest, ResponseOfAnotherServerIsReported) {
  server_.Add(502, "<html>Bad gateway</html>");
  EXPECT_THAT(api_.Get("/nodes").error().text, HasSubstr("status 502"));
  server_.Add(200, "[1,2]");
  EXPECT_EQ(api_.Get("/nodes").error().code, Code::kCorrupt);
}

TEST_F(ApiTest, SubmitIsRepeatedWithTheSameKey) {
  server_.AddFailure(Code::kUnavailable);
  server_.AddFailure(Code::kTimeout);
  server_.Add(200, R"({"jobs":[{"id":5,"name":"x","state":"queued"}],"group":"","repeated":true})");
  const auto submitted = SubmitOnce(api_, "/jobs", {}, 0);
  ASSERT_TRUE(submitted) << submitted.error().text;
  EXPECT_EQ(submitted->jobs[0].first, 5);
  ASSERT_EQ(server_.asked().size(), 3u);
  const auto key = http::FindHeader(server_.asked()[0].headers, "Idempotency-Key");
  EXPECT_EQ(key.size(), 32u);
  for (const auto& asked : server_.asked())
    EXPECT_EQ(http::FindHeader(asked.headers, "Idempotency-Key"), key);
}

TEST_F(ApiTest, SubmitFailsAfterThreeTriesAndImmediatelyIfRefused) {
  for (int i = 0; i < 3; ++i) server_.AddFailure(Code::kUnavailable);
  EXPECT_EQ(SubmitOnce(api_, "/jobs", {}, 0).error().code, Code::kUnavailable);
  EXPECT_EQ(server_.asked().size(), 3u);
  server_.Add(400, R"({"error":{"code":"invalid","message":"no","next":""}})");
  EXPECT_EQ(SubmitOnce(api_, "/jobs", {}, 0).error().code, Code::kInvalid);
  EXPECT_EQ(server_.asked().size(), 4u);
}

TEST_F(ApiTest, OnlyMissingContentsAreUploaded) {
  const os::TempDir dir;
  dir.Write("a.py", "one");
  dir.Write("b.py", "two");
  auto snapshot = ScanFolder(dir.path(), {});
  ASSERT_TRUE(snapshot && HashFiles(*snapshot, {}));
  server_.Add(200, R"({"hash":"abc","complete":false,"missing":[")" + os::Sha256("two") + "\"]}");
  server_.Add(201, "{}");
  server_.Add(200, R"({"hash":"abc","complete":true,"missing":[]})");
  const auto uploaded = UploadCode(api_, *snapshot);
  ASSERT_TRUE(uploaded) << uploaded.error().text;
  EXPECT_EQ(uploaded->hash, "abc");
  EXPECT_EQ(uploaded->new_files, 1u);
  ASSERT_EQ(server_.asked().size(), 3u);
  EXPECT_EQ(server_.asked()[1].method, "PUT");
  EXPECT_EQ(server_.asked()[1].target, "/api/v1/code/blobs");
  EXPECT_EQ(server_.asked()[1].body, os::Sha256("two") + " 3\ntwo");
  EXPECT_EQ(server_.asked()[2].body, server_.asked()[0].body);
}

TEST_F(ApiTest, LargeFilesAreUploadedOneByOneAndSmallFilesInOneRequest) {
  const os::TempDir dir;
  const std::string large(300'000, 'x');
  dir.Write("a.py", "one");
  dir.Write("b.bin", large);
  dir.Write("c.py", "two");
  auto snapshot = ScanFolder(dir.path(), {});
  ASSERT_TRUE(snapshot && HashFiles(*snapshot, {}));
  const std::string one = os::Sha256("one"), two = os::Sha256("two"), big = os::Sha256(large);
  server_.Add(200, R"({"hash":"abc","complete":false,"missing":[")" + one + "\",\"" + big +
                       "\",\"" + two + "\"]}");
  server_.Add(201, "{}");
  server_.Add(201, "{}");
  server_.Add(200, R"({"hash":"abc","complete":true,"missing":[]})");
  ASSERT_TRUE(UploadCode(api_, *snapshot));
  ASSERT_EQ(server_.asked().size(), 4u);
  EXPECT_EQ(server_.asked()[1].target, "/api/v1/code/blobs/" + big);
  EXPECT_EQ(server_.asked()[1].body, large);
  EXPECT_EQ(server_.asked()[2].target, "/api/v1/code/blobs");
  EXPECT_EQ(server_.asked()[2].body, one + " 3\none" + two + " 3\ntwo");
}

TEST_F(ApiTest, ServerThatTakesNoPacksGetsFilesOneByOne) {
  const os::TempDir dir;
  dir.Write("a.py", "one");
  auto snapshot = ScanFolder(dir.path(), {});
  ASSERT_TRUE(snapshot && HashFiles(*snapshot, {}));
  server_.Add(200, R"({"hash":"abc","complete":false,"missing":[")" + os::Sha256("one") + "\"]}");
  server_.Add(404, R"({"error":{"code":"not_found","message":"no such route","next":""}})");
  server_.Add(201, "{}");
  server_.Add(200, R"({"hash":"abc","complete":true,"missing":[]})");
  ASSERT_TRUE(UploadCode(api_, *snapshot));
  ASSERT_EQ(server_.asked().size(), 4u);
  EXPECT_EQ(server_.asked()[2].target, "/api/v1/code/blobs/" + os::Sha256("one"));
  EXPECT_EQ(server_.asked()[2].body, "one");
}

TEST_F(ApiTest, FileThatChangedBeforeTheUploadIsNamed) {
  const os::TempDir dir;
  dir.Write("a.py", "one");
  auto snapshot = ScanFolder(dir.path(), {});
  ASSERT_TRUE(snapshot && HashFiles(*snapshot, {}));
  dir.Write("a.py", "changed");
  server_.Add(200, R"({"hash":"abc","complete":false,"missing":[")" + os::Sha256("one") + "\"]}");
  server_.Add(400, R"({"error":{"code":"invalid","message":"wrong sum","next":""}})");
  const auto uploaded = UploadCode(api_, *snapshot);
  ASSERT_FALSE(uploaded);
  EXPECT_EQ(uploaded.error().code, Code::kConflict);
  EXPECT_THAT(uploaded.error().text, HasSubstr("a.py"));
}

TEST_F(ApiTest, ListsAllPagesUpToTheLimit) {
  server_.Add(200, R"({"jobs":[{"id":9},{"id":8}],"next":8})");
  server_.Add(200, R"({"jobs":[{"id":7}],"next":null})");
  JobQuery query;
  query.name = "a b&c";
  const auto rows = ListJobs(api_, query, 100);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->size(), 3u);
  EXPECT_EQ(server_.asked()[0].target, "/api/v1/jobs?limit=100&name=a%20b%26c");
  EXPECT_EQ(server_.asked()[1].target, "/api/v1/jobs?limit=98&name=a%20b%26c&before=8");
}

TEST_F(ApiTest, CursorThatDoesNotDecreaseEndsTheListing) {
  server_.Add(200, R"({"jobs":[{"id":9}],"next":9})");
  server_.Add(200, R"({"jobs":[{"id":9}],"next":9})");
  EXPECT_EQ(ListJobs(api_, {}, 100)->size(), 2u);
}

class WaitingTest : public ApiTest {
 protected:
  FakeClock clock_;
  Interrupts interrupts_;
};

TEST_F(WaitingTest, WaitsDuringServerRestartsUntilAllJobsEnded) {
  server_.Add(200, R"({"id":1,"state":"running"})");
  server_.Add(200, R"({"id":2,"state":"succeeded"})");
  server_.AddFailure(Code::kUnavailable);
  server_.Add(200, R"({"id":1,"state":"failed","attempts":[{"number":1,"exit":
      {"class":"exit_code","code":7}}]})");
  std::vector<JobId> ended;
  const auto result = WaitForJobs(
      api_, clock_, interrupts_, {1, 2},
      {.first_pause_ms = 0, .each = [&](const JobView& job) { ended.push_back(job.id); }});
  ASSERT_TRUE(result) << result.error().text;
  EXPECT_EQ(ended, (std::vector<JobId>{2, 1}));
  EXPECT_EQ(ExitCodeOf(result->ended[0]), 0);
  EXPECT_EQ(ExitCodeOf(result->ended[1]), 7);
}

TEST_F(WaitingTest, StopsAtTheTimeLimit) {
  server_.Add(200, R"({"id":1,"state":"running"})");
  const auto result = WaitForJobs(api_, clock_, interrupts_, {1}, {.timeout_ms = 0});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->timed_out);
}

TEST_F(WaitingTest, UnknownJobIsAnError) {
  server_.Add(404, R"({"error":{"code":"not_found","message":"there is no job 1","next":""}})");
  const auto result = WaitForJobs(api_, clock_, interrupts_, {1}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kNotFound);
}

class RawLogTest : public WaitingTest {
 protected:
  FakeServer::Answer Bytes(std::vector<std::string> pieces, int64_t offset = 0) {
    http::Response response;
    response.headers = {{"X-Muster-Offset", std::to_string(offset)}};
    return {response, std::move(pieces), {}, 0};
  }
  CaptureScreen screen_;
};

TEST_F(RawLogTest, CopiesBytesUnchanged) {
  const std::string bytes("a\0\xff\r\nb", 6);
  server_.Add(Bytes({bytes, bytes}));
  ASSERT_TRUE(CopyRawLog(api_, screen_, interrupts_, {.job = 4, .rank = 3, .attempt = 2}));
  EXPECT_EQ(screen_.out, bytes + bytes);
  EXPECT_EQ(server_.asked()[0].target, "/api/v1/jobs/4/ranks/3/log?attempt=2");
}

TEST_F(RawLogTest, FollowsFromTheEndOfTheTail) {
  server_.Add(Bytes({"tail\n"}, 100));
  server_.Add({Fail(Code::kUnavailable, "reset"), {"more\n"}, {}, 0});
  server_.Add(200, R"({"id":4,"state":"running","attempts":[{"number":1}]})");
  server_.Add(Bytes({"last\n"}));
  server_.Add(200, R"({"id":4,"state":"succeeded","attempts":[{"number":1}]})");
  server_.Add(Bytes({}));
  const Status copied =
      CopyRawLog(api_, screen_, interrupts_, {.job = 4, .tail = 1, .follow = true, .retry_ms = 0});
  ASSERT_TRUE(copied) << copied.error().text;
  EXPECT_EQ(screen_.out, "tail\nmore\nlast\n");
  EXPECT_THAT(server_.asked()[0].target, HasSubstr("&tail=1"));
  EXPECT_THAT(server_.asked()[1].target, HasSubstr("&offset=105&follow=1"));
  EXPECT_THAT(server_.asked()[3].target, HasSubstr("&offset=110&follow=1"));
  EXPECT_THAT(screen_.err, HasSubstr("went away"));
}

TEST_F(RawLogTest, ContinuesWithTheNextAttempt) {
  server_.Add(Bytes({"one\n"}));
  server_.Add(Bytes({}));
  server_.Add(200, R"({"id":4,"state":"running","attempts":[{"number":1},{"number":2}]})");
  server_.Add(Bytes({"two\n"}));
  server_.Add(200, R"({"id":4,"state":"failed","attempts":[{"number":1},{"number":2}]})");
  server_.Add(Bytes({}));
  ASSERT_TRUE(CopyRawLog(api_, screen_, interrupts_, {.job = 4, .follow = true, .retry_ms = 0}));
  EXPECT_EQ(screen_.out, "one\ntwo\n");
  EXPECT_EQ(screen_.err, "muster: attempt 2 begins\n");
  EXPECT_THAT(server_.asked()[3].target, HasSubstr("attempt=2&offset=0"));
}

}  // namespace
}  // namespace muster::cli
