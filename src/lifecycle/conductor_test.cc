#include <gtest/gtest.h>

#include "lifecycle/testing/conductor_bench.h"

namespace muster::lifecycle {
namespace {

TEST_F(ConductorTest, JobRunsFromSubmitToSuccess) {
  const JobId id = SubmitOne(Doc("npu:8", 2));
  EXPECT_EQ(StateOf(id), State::kStarting);
  ASSERT_EQ(engine_->started.size(), 1u);
  ASSERT_EQ(engine_->started[0].orders.size(), 2u);
  Begin(0);
  EXPECT_EQ(StateOf(id), State::kRunning);
  End(0, kGood);
  EXPECT_EQ(StateOf(id), State::kSucceeded);
  EXPECT_EQ(engine_->released.size(), 1u);
  const Job job = conductor_->Find(id).value();
  ASSERT_EQ(job.attempts.size(), 1u);
  EXPECT_EQ(job.attempts[0].ranks.size(), 16u);
  EXPECT_TRUE(job.attempts[0].nodes[1].clean);
}

TEST_F(ConductorTest, AttemptIsJournaledBeforeItsStart) {
  std::optional<SubmitResult> answer;
  conductor_->Submit({.document = Doc()}, [&](auto result) { answer = result.value(); });
  while (engine_->started.empty()) {
    loop_.RunPosted();
    if (!engine_->started.empty()) break;
    journal_->Flush();
  }
  const auto stored = journal_->FindJob(answer->jobs.at(0)).value().value();
  ASSERT_EQ(stored.attempts.size(), 1u);
  EXPECT_EQ(stored.attempts[0].token, engine_->started[0].ref.token);
}

TEST_F(ConductorTest, FolderLeftByAPowerCutIsRenamedAndKept) {
  const os::Path attempts = dir_.path() / "jobs/1/attempts";
  ASSERT_TRUE(os::MakeDirs(attempts / "1/node0"));
  ASSERT_TRUE(os::WriteFileAtomic(attempts / "1/node0/record", "of another attempt", 0600, false));
  ASSERT_EQ(SubmitOne(Doc()), 1);
  EXPECT_EQ(StateOf(1), State::kStarting);
  EXPECT_FALSE(std::filesystem::exists(attempts / "1/node0/record"));
  int kept = 0;
  for (const auto& entry : std::filesystem::directory_iterator(attempts))
    kept += entry.path().filename().string().starts_with("1.forgotten-") &&
            std::filesystem::exists(entry.path() / "node0/record");
  EXPECT_EQ(kept, 1);
}

TEST_F(ConductorTest, FirstFailingRankIsTheCauseAndOthersAreStopped) {
  const JobId id = SubmitOne(Doc("npu:8", 2));
  Begin(0);
  auto& attempt = engine_->started[0];
  engine_->Say(attempt, 1, RankEnded{11, kBad});
  engine_->Say(attempt, 1, NodeFailed{11, kBad, "rank 11"});
  Settle();
  EXPECT_EQ(StateOf(id), State::kStopping);
  ASSERT_FALSE(engine_->stops.empty());
  EXPECT_EQ(engine_->stops[0].second.by, StoppedBy::kRankFailure);
  End(0, {.how = ExitClass::kStopped, .signal = 15, .stopped_by = StoppedBy::kRankFailure});
  const Job job = conductor_->Find(id).value();
  EXPECT_EQ(job.state, State::kFailed);
  ASSERT_TRUE(job.attempts[0].cause);
  EXPECT_EQ(job.attempts[0].cause->rank, 11);
  EXPECT_EQ(job.attempts[0].cause->node_name, "node-1");
  EXPECT_EQ(job.attempts[0].exit->code, 7);
  EXPECT_NE(job.reason.find("rank 11"), std::string::npos) << job.reason;
  EXPECT_NE(job.reason.find("node-1"), std::string::npos) << job.reason;
}

TEST_F(ConductorTest, FailedAttemptIsRetriedUpToTheLimit) {
  json::object document = Doc();
  document["retries"] = 1;
  const JobId id = SubmitOne(document);
  Begin(0);
  engine_->Say(engine_->started[0], 0, NodeFailed{0, kBad, "rank 0"});
  End(0, kBad);
  ASSERT_EQ(engine_->started.size(), 2u);
  EXPECT_EQ(engine_->started[1].ref.attempt, 2);
  EXPECT_NE(engine_->started[1].ref.token, engine_->started[0].ref.token);
  Begin(1);
  engine_->Say(engine_->started[1], 0, NodeFailed{0, kBad, "rank 0"});
  End(1, kBad);
  EXPECT_EQ(StateOf(id), State::kFailed);
  EXPECT_EQ(conductor_->Find(id)->attempts.size(), 2u);
}

TEST_F(ConductorTest, JobIsStoppedOnlyAfterItsNodesAreClean) {
  const JobId id = SubmitOne(Doc());
  Begin(0);
  EXPECT_EQ(Stop(id).value(), State::kStopping);
  EXPECT_EQ(StateOf(id), State::kStopping);
  EXPECT_EQ(engine_->stops.back().second.by, StoppedBy::kUser);
  End(0, {.how = ExitClass::kStopped, .signal = 15, .stopped_by = StoppedBy::kUser});
  EXPECT_EQ(StateOf(id), State::kStopped);
  const auto again = Stop(id);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::kConflict);
}

TEST_F(ConductorTest, QueuedJobIsStoppedImmediatelyAndNeverStarted) {
  SubmitOne(Doc("npu:8", 2));
  const JobId waiting = SubmitOne(Doc());
  EXPECT_EQ(StateOf(waiting), State::kQueued);
  EXPECT_EQ(Stop(waiting).value(), State::kStopped);
  EXPECT_EQ(StateOf(waiting), State::kStopped);
  Begin(0);
  End(0, kGood);
  EXPECT_EQ(engine_->started.size(), 1u);
}

TEST_F(ConductorTest, LostNodeFailsTheJobAndStopsTheOthers) {
  const JobId id = SubmitOne(Doc("npu:8", 2));
  Begin(0);
  engine_->Lose(0, 1, "its launcher died");
  Settle();
  EXPECT_EQ(StateOf(id), State::kStopping);
  engine_->Say(engine_->started[0], 0, NodeClean{});
  engine_->Say(engine_->started[0], 0, LauncherEnded{});
  Settle();
  const Job job = conductor_->Find(id).value();
  EXPECT_EQ(job.state, State::kFailed);
  EXPECT_EQ(job.attempts[0].exit->how, ExitClass::kLost);
}

TEST_F(ConductorTest, LauncherThatDiedBeforeItsFirstLineIsLostAndRetried) {
  json::object document = Doc();
  document["retries"] = 1;
  const JobId id = SubmitOne(std::move(document));
  engine_->Lose(0, 0, "its launcher ended before it began");
  Settle();
  ASSERT_EQ(engine_->started.size(), 2u) << "it was no fault of the job";
  EXPECT_EQ(conductor_->Find(id)->attempts[0].exit->how, ExitClass::kLost);
  Begin(1);
  End(1, kGood);
  EXPECT_EQ(StateOf(id), State::kSucceeded);
}

TEST_F(ConductorTest, RepeatedKeyReturnsTheSameJobs) {
  const auto first = Submit(Doc(), "key-1");
  const auto again = Submit(Doc(), "key-1");
  EXPECT_EQ(first->jobs, again->jobs);
  EXPECT_TRUE(again->repeated);
  Crash();
  Open();
  EXPECT_EQ(Submit(Doc(), "key-1")->jobs, first->jobs);
}

TEST_F(ConductorTest, ConcurrentSubmitsWithOneKeyCreateOneJob) {
  std::vector<SubmitResult> answers;
  for (int i = 0; i < 2; ++i)
    conductor_->Submit({.document = Doc(), .key = "k"},
                       [&](auto r) { answers.push_back(r.value()); });
  Settle();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].jobs, answers[1].jobs);
}

TEST_F(ConductorTest, RunningJobsAreResumedAtTheirRecordOffsetsAfterACrash) {
  const JobId id = SubmitOne(Doc("npu:8", 2));
  Begin(0);
  const auto offsets = engine_->started[0].offsets;
  const std::string token = engine_->started[0].ref.token;
  Crash();
  Open();
  ASSERT_EQ(engine_->started.size(), 1u);
  EXPECT_TRUE(engine_->started[0].recovered);
  EXPECT_EQ(engine_->started[0].ref.token, token);
  EXPECT_EQ(engine_->started[0].offsets, offsets);
  EXPECT_EQ(StateOf(id), State::kRunning);
  End(0, kGood);
  EXPECT_EQ(StateOf(id), State::kSucceeded);
}

TEST_F(ConductorTest, AcknowledgedStopIsRequestedAgainAfterACrash) {
  const JobId id = SubmitOne(Doc());
  Begin(0);
  ASSERT_TRUE(Stop(id));
  Crash();
  Open();
  ASSERT_FALSE(engine_->stops.empty());
  EXPECT_EQ(engine_->stops[0].second.by, StoppedBy::kUser);
  End(0, {.how = ExitClass::kStopped, .signal = 15, .stopped_by = StoppedBy::kUser});
  EXPECT_EQ(StateOf(id), State::kStopped);
}

TEST_F(ConductorTest, QueuedJobsAndIdsContinueAfterACrash) {
  SubmitOne(Doc("npu:8", 2));
  const JobId waiting = SubmitOne(Doc("npu:8", 2));
  Crash();
  Open();
  EXPECT_EQ(StateOf(waiting), State::kQueued);
  EXPECT_GT(SubmitOne(Doc()), waiting);
}

TEST_F(ConductorTest, DependentJobWaitsForTheSuccessOfAnother) {
  const JobId first = SubmitOne(Doc());
  json::object document = Doc();
  document["after"] = first;
  const JobId second = SubmitOne(document);
  EXPECT_EQ(StateOf(second), State::kQueued);
  EXPECT_NE(conductor_->Why(second)->text.find("job 1"), std::string::npos);
  Begin(0);
  End(0, kGood);
  EXPECT_EQ(StateOf(second), State::kStarting);
}

TEST_F(ConductorTest, JobWithAFailedDependencyIsStoppedWithTheReason) {
  const JobId first = SubmitOne(Doc());
  json::object document = Doc();
  document["after"] = first;
  const JobId second = SubmitOne(document);
  Begin(0);
  engine_->Say(engine_->started[0], 0, NodeFailed{0, kBad, "rank 0"});
  End(0, kBad);
  EXPECT_EQ(StateOf(second), State::kStopped);
  EXPECT_NE(conductor_->Find(second)->reason.find("job 1"), std::string::npos);
}

TEST_F(ConductorTest, SweepIsAGroupThatIsStoppedTogether) {
  json::object document = Doc("npu:8", 1);
  document["sweep"] = json::object{{"lr", json::array{0.1, 0.2, 0.3}}};
  const auto result = Submit(document);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->jobs.size(), 3u);
  EXPECT_FALSE(result->group.empty());
  std::optional<Result<int>> stopped;
  conductor_->StopGroup(result->group, "ann", [&](auto r) { stopped = std::move(r); });
  Settle();
  EXPECT_EQ(stopped->value(), 3);
  EXPECT_EQ(StateOf(result->jobs[2]), State::kStopped);  // two ran and the third one waited
  EXPECT_EQ(StateOf(result->jobs[0]), State::kStopping);
}

TEST_F(ConductorTest, HigherPriorityPreemptsAndThePreemptedJobReturns) {
  const auto [victim, urgent] = Preempt();
  EXPECT_EQ(StateOf(victim), State::kStopping);
  End(0, {.how = ExitClass::kStopped, .signal = 15, .stopped_by = StoppedBy::kPreemption});
  EXPECT_EQ(StateOf(victim), State::kQueued);
  EXPECT_EQ(StateOf(urgent), State::kStarting);
  Begin(1);
  End(1, kGood);
  EXPECT_EQ(StateOf(victim), State::kStarting);
  EXPECT_EQ(conductor_->Find(victim)->used_retries, 0);
}

TEST_F(ConductorTest, FaultyDocumentIsRefusedCompletely) {
  json::object document = Doc();
  document["nam"] = "x";
  document["retries"] = -1;
  const auto result = Submit(document);
  ASSERT_FALSE(result);
  EXPECT_GE(result.error().faults.size(), 2u);
  EXPECT_TRUE(journal_->ListJobs({})->empty());
}

TEST_F(ConductorTest, DependencyMustExist) {
  json::object document = Doc();
  document["after"] = 99;
  const auto result = Submit(document);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().faults.at(0).path, "after");
}

TEST_F(ConductorTest, ExhaustedPortsDelayAJob) {
  engine_->ports_run_out = true;
  json::object document = Doc("npu:8", 2);
  document["framework"] = "pytorch";
  const JobId id = SubmitOne(document);
  EXPECT_EQ(StateOf(id), State::kQueued);
  engine_->ports_run_out = false;
  loop_.Advance(2000);
  Settle();
  EXPECT_EQ(StateOf(id), State::kStarting);
}

TEST_F(ConductorTest, TemporaryFilesOfAKilledServerAreRemovedAtTheEndOfTheAttempt) {
  const JobId id = SubmitOne(Doc());
  Crash();
  const os::Path job = dir_.path() / "jobs" / std::to_string(id);
  const os::Path node = job / "attempts/1/node0";
  ASSERT_TRUE(os::MakeDirs(node / "work"));
  const std::string name = os::TemporaryName();
  for (const os::Path& folder : {job, job / "attempts/1", node, node / "work"})
    ASSERT_TRUE(os::WriteFileAtomic(folder / name, "half"));
  Open();
  Begin(0);
  EXPECT_TRUE(std::filesystem::exists(node / name)) << "its launcher may be writing there";
  End(0, kGood);
  for (const os::Path& folder : {job, job / "attempts/1", node})
    EXPECT_FALSE(std::filesystem::exists(folder / name)) << folder;
  EXPECT_TRUE(std::filesystem::exists(node / "work" / name)) << "the job's own files are not ours";
}

TEST_F(ConductorTest, OnlyAnEndedJobCanBeRemovedWithItsFolder) {
  const JobId id = SubmitOne(Doc());
  std::optional<Status> answer;
  conductor_->Remove(id, [&](Status s) { answer = std::move(s); });
  EXPECT_EQ(answer->error().code, Code::kConflict);
  Begin(0);
  End(0, kGood);
  EXPECT_TRUE(std::filesystem::exists(conductor_->JobDir(id)));
  conductor_->Remove(id, [&](Status s) { answer = std::move(s); });
  Settle();
  EXPECT_TRUE(*answer);
  EXPECT_FALSE(std::filesystem::exists(conductor_->JobDir(id)));
  EXPECT_EQ(conductor_->Find(id).error().code, Code::kNotFound);
}

TEST_F(ConductorTest, ServiceRanksAreEndedAfterTheWorkers) {
  json::object document{
      {"name", "ps"},
      {"run", "train"},
      {"roles", json::object{{"ps", json::object{{"devices", "cpu:1"}, {"service", true}}},
                             {"worker", json::object{{"devices", "npu:2"}}}}}};
  const JobId id = SubmitOne(document);
  Begin(0);
  auto& attempt = engine_->started[0];
  engine_->Say(attempt, 1, RankEnded{1, kGood});
  Settle();
  EXPECT_TRUE(engine_->stops.empty());
  engine_->Say(attempt, 1, RankEnded{2, kGood});
  Settle();
  ASSERT_FALSE(engine_->stops.empty());
  EXPECT_EQ(engine_->stops[0].second.by, StoppedBy::kRoleEnd);
  engine_->Say(
      attempt, 0,
      RankEnded{0, {.how = ExitClass::kStopped, .signal = 15, .stopped_by = StoppedBy::kRoleEnd}});
  for (int node : {0, 1}) {
    engine_->Say(attempt, node, NodeClean{});
    engine_->Say(attempt, node, LauncherEnded{});
  }
  Settle();
  EXPECT_EQ(StateOf(id), State::kSucceeded);
}

TEST_F(ConductorTest, ProcessAddedByTheFrameworkEndsWithTheWorkers) {
  SubmitOne(json::object{{"run", "train"},
                         {"framework", "mindspore"},
                         {"resources", json::object{{"devices", "npu:2"}}}});
  Begin(0);
  auto& attempt = engine_->started[0];
  ASSERT_EQ(attempt.orders[0].ranks.back().role, "scheduler");
  for (const int rank : {0, 1}) engine_->Say(attempt, 0, RankEnded{rank, kGood});
  Settle();
  ASSERT_FALSE(engine_->stops.empty());
  EXPECT_EQ(engine_->stops[0].second.by, StoppedBy::kRoleEnd);
}

}  // namespace
}  // namespace muster::lifecycle
