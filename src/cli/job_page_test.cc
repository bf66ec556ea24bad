#include "cli/job_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/compare.h"
#include "cli/ending.h"
#include "cli/proof.h"
#include "cli/testing/capture_screen.h"

namespace muster::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

JobView Read(std::string_view text) { return ReadJob(ParseJson(text).value().as_object()); }

// A job of 2 x 8 ranks in which rank 3 failed first.
JobView FailedJob() {
  json::array ranks;
  for (int rank = 0; rank < 24; ++rank) {
    json::object exit{{"class", rank == 3 ? "exit_code" : "stopped"},
                      {"code", rank == 3 ? 7 : 0},
                      {"stopped_by", rank == 3 ? "nobody" : "rank_failure"}};
    ranks.push_back(json::object{{"rank", rank},
                                 {"node", rank / 12},
                                 {"role", "worker"},
                                 {"pid", 100 + rank},
                                 {"started_ms", 2000},
                                 {"ended_ms", 9000},
                                 {"exit", exit}});
  }
  json::object job = ParseJson(R"({
    "id":17,"name":"resnet","state":"failed","framework":"custom","created_ms":1000,"ended_ms":9500,
    "spec":{"name":"resnet","run":"train.py","env":{"API_KEY":"hunter2"},"resources":{"nodes":2}},
    "attempts":[{"number":1,"created_ms":1000,"started_ms":2000,"ended_ms":9000,
      "allocation":{"nodes":[{"index":0,"node":"node-0"},{"index":1,"node":"node-1"}]},
      "cause":{"rank":3,"node":0,"node_name":"node-0","what":"rank 3 on node-0 exited with code 7",
               "exit":{"class":"exit_code","code":7}},
      "nodes":[{"name":"node-0","clean":{"found":2,"killed":1,"left":0,"took_ms":1200,"names":["python3"]}}]}],
    "verdict":{"headline":"rank 3 (worker) on node-0 failed first: exited with code 7",
               "cause":"python_error","evidence":["ValueError: x"],"advice":"Look at the last lines."},
    "folders":{"job":"/d/jobs/17","logs":"/d/jobs/17/attempts/1","outputs":{"model":"/d/out"}}})")
                         .value()
                         .as_object();
  job["attempts"].as_array()[0].as_object()["ranks"] = std::move(ranks);
  return ReadJob(job);
}

TEST(JobPageTest, ShowsPublicationsWithDestinations) {
  CaptureScreen screen;
  JobView job = FailedJob();
  job.attempts[0].publish.emplace().notes = {"model: 2 files, published to s3://out/"};
  const std::string note = "  note: model: 2 files, published to s3://out/\n";
  EXPECT_THAT(JobPage(screen, job, {}, 10'000), HasSubstr(note));
  EXPECT_THAT(EndingText(screen, job, {}), HasSubstr(note));
}

TEST(JobPageTest, BeginsWithTheFailure) {
  CaptureScreen screen;
  const std::string page = JobPage(screen, FailedJob(), {"Traceback", "ValueError: x"}, 10'000);
  EXPECT_THAT(page, StartsWith("job 17 failed: rank 3 (worker) on node-0 failed first"));
  EXPECT_THAT(page, HasSubstr("last lines of rank 3\n  | Traceback\n  | ValueError: x\n"));
  EXPECT_THAT(page, HasSubstr("Look at the last lines."));
  EXPECT_THAT(page, HasSubstr("/d/jobs/17/attempts/1"));
}

TEST(JobPageTest, ShowsTheBlamedRankRatherThanTheFirstToEnd) {
  CaptureScreen screen;
  JobView job = FailedJob();
  job.verdict->rank = 5;
  EXPECT_THAT(JobPage(screen, job, {"ValueError: x"}, 10'000), HasSubstr("last lines of rank 5\n"));
  EXPECT_THAT(EndingText(screen, job, {"ValueError: x"}), HasSubstr("muster logs 17 -r 5"));
}

TEST(JobPageTest, ShowsEvidenceMissingInTheLastLines) {
  CaptureScreen screen;
  const std::vector<std::string> others{"LAUNCH INFO Exit code 1"};
  EXPECT_THAT(JobPage(screen, FailedJob(), others, 10'000),
              HasSubstr("evidence\n  ValueError: x\n"));
  EXPECT_THAT(EndingText(screen, FailedJob(), others),
              HasSubstr("what tells the cause:\n  | ValueError: x\n"));
  EXPECT_THAT(JobPage(screen, FailedJob(), {"ValueError: x"}, 10'000), Not(HasSubstr("evidence")));
}

TEST(JobPageTest, MergesEqualRanksAndKeepsTheFailedOne) {
  CaptureScreen screen;
  const std::string page = JobPage(screen, FailedJob(), {}, 10'000);
  EXPECT_THAT(page, HasSubstr("0-2"));
  EXPECT_THAT(page, HasSubstr("4-11"));
  EXPECT_THAT(page, HasSubstr("12-23"));
  EXPECT_THAT(page, HasSubstr("exited with code 7"));
}

TEST(JobPageTest, ShowsVariableNamesWithoutValues) {
  CaptureScreen screen;
  const std::string page = JobPage(screen, FailedJob(), {}, 10'000);
  EXPECT_THAT(page, HasSubstr("API_KEY"));
  EXPECT_THAT(page, Not(HasSubstr("hunter2")));
}

TEST(JobPageTest, QueuedJobHasAPage) {
  CaptureScreen screen;
  const std::string page = JobPage(
      screen, Read(R"({"id":1,"name":"x","state":"queued","reason":"needs 8 npu"})"), {}, 0);
  EXPECT_THAT(page, StartsWith("job 1 is queued: needs 8 npu\n"));
  EXPECT_THAT(page, Not(HasSubstr("attempts")));
}

TEST(JobPageTest, UnexpectedResponsesDoNotBreakThePage) {
  CaptureScreen screen;
  for (const char* text : {"{}", R"({"id":"x","attempts":7,"spec":[],"verdict":1,"folders":null})",
                           R"({"attempts":[1,{}],"spec":{"nonsense":1},"state":"novel"})"})
    EXPECT_FALSE(JobPage(screen, Read(text), {}, 0).empty());
}

TEST(ProofTest, ShowsFoundAndKilledProcessesPerNode) {
  EXPECT_EQ(ProofText(FailedJob(), 2),
            "  node-0: clean after 1.2s: 2 processes found, 1 killed, none left (python3)\n");
}

TEST(EndingTest, FailureShowsCauseLinesAndAdvice) {
  CaptureScreen screen;
  EXPECT_EQ(EndingText(screen, FailedJob(), {"ValueError: x"}),
            "job 17 failed: rank 3 (worker) on node-0 failed first: exited with code 7 after 7.5s\n"
            "  last lines of rank 3:\n"
            "  | ValueError: x\n"
            "  what to do: Look at the last lines.\n"
            "  logs: /d/jobs/17/attempts/1\n"
            "  output model: /d/out\n"
            "  next: muster logs 17 -r 3\n"
            "        muster describe 17\n"
            "        muster rerun 17\n");
}

TEST(EndingTest, SuccessShowsMetricsAndPlaces) {
  CaptureScreen screen;
  const JobView job = Read(R"({"id":3,"state":"succeeded","ended_ms":33000,
      "attempts":[{"number":1,"started_ms":3000}],
      "progress":{"attempt":1,"rank":0,"values":{"accuracy":0.89},"text":"accuracy 89.0 %"},
      "folders":{"job":"/d","logs":"/d/a","outputs":{}}})");
  EXPECT_EQ(EndingText(screen, job, {}),
            "job 3 succeeded after 30.0s\n  result: accuracy 89.0 %\n  logs: /d/a\n"
            "  next: muster describe 3\n        muster logs 3\n");
}

TEST(CompareTest, ShowsValuesAndMetricsSideBySide) {
  CaptureScreen screen;
  std::vector<JobView> jobs;
  for (int id : {4, 5}) {
    JobView job;
    job.id = id;
    job.state = id == 4 ? "succeeded" : "running";
    job.spec.emplace();
    job.spec->sweep_values = {{"lr", id == 4 ? "0.1" : "0.01"}};
    if (id == 4) job.progress_values = {{"loss", "0.25"}};
    jobs.push_back(job);
  }
  EXPECT_EQ(CompareText(screen, "sweep-4", jobs),
            "group sweep-4: 2 jobs, 1 over\n"
            "ID    lr  STATE      loss\n"
            " 4   0.1  succeeded  0.25\n"
            " 5  0.01  running       -\n");
}

TEST(JobIdTest, InvalidIdsAreRejected) {
  EXPECT_EQ(ParseJobId("17").value(), 17);
  for (const char* word : {"", "0", "-3", "x", "1e3", "99999999999999999999"})
    EXPECT_FALSE(ParseJobId(word)) << word;
}

}  // namespace
}  // namespace muster::cli
