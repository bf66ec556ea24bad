#include "store/journal.h"

#include <atomic>
#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "os/temp_dir.h"
#include "store/test_jobs.h"

namespace muster::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class JournalTest : public testing::Test {
 protected:
  JournalTest() { Reopen(); }

  void Reopen() {
    journal_.reset();
    journal_ = std::move(Journal::Open(folder_ / "journal.db").value());
  }
  Status Write(std::vector<Op> batch) { return WriteAndWait(*journal_, std::move(batch)); }
  std::vector<JobId> Ids(const JobFilter& filter) {
    std::vector<JobId> ids;
    const auto rows = journal_->ListJobs(filter);
    for (const JobRow& row : rows.value()) ids.push_back(row.id);
    return ids;
  }

  os::TempDir folder_;
  std::unique_ptr<Journal> journal_;
};

TEST_F(JournalTest, JobIsCompleteAfterReopening) {
  Job job = MakeJob(17, "resnet");
  job.state = State::kRunning;
  job.group = "g1";
  job.key = "k1";
  job.reason = "because";
  job.used_retries = 2;
  job.spec.priority = 5;
  job.spec.labels = {{"team", "vision"}};
  Attempt attempt;
  attempt.token = "t1";
  attempt.created_ms = 5;
  attempt.nodes.push_back({.name = "node-0", .record_offset = 99, .clean = {}, .notes = {}});
  ASSERT_TRUE(Write({PutJob{job}, PutAttempt{17, attempt}}));
  Reopen();

  const auto found = journal_->FindJob(17);
  ASSERT_TRUE(found) << found.error().text;
  ASSERT_TRUE(found->has_value());
  const Job& back = **found;
  EXPECT_EQ(back.state, State::kRunning);
  EXPECT_EQ(back.group, "g1");
  EXPECT_EQ(back.key, "k1");
  EXPECT_EQ(back.user, "ann");
  EXPECT_EQ(back.created_ms, job.created_ms);
  EXPECT_EQ(back.reason, "because");
  EXPECT_EQ(back.used_retries, 2);
  EXPECT_EQ(ToJson(ToJsonObject(back.spec)), ToJson(ToJsonObject(job.spec)));
  ASSERT_THAT(back.attempts, SizeIs(1));
  EXPECT_EQ(ToJson(ToJsonObject(back.attempts[0])), ToJson(ToJsonObject(attempt)));
}

TEST_F(JournalTest, CodeIsInUseUntilItsLastJobIsRemoved) {
  const std::string hash(64, 'a');
  Job first = MakeJob(1), second = MakeJob(2);
  first.spec.code_hash = second.spec.code_hash = hash;
  EXPECT_FALSE(journal_->UsesCode(hash).value());
  ASSERT_TRUE(Write({PutJob{first}, PutJob{second}, PutJob{MakeJob(3)}}));
  EXPECT_TRUE(journal_->UsesCode(hash).value());
  EXPECT_FALSE(journal_->UsesCode(std::string(64, 'b')).value());
  ASSERT_TRUE(Write({DropJob{1}}));
  EXPECT_TRUE(journal_->UsesCode(hash).value());
  ASSERT_TRUE(Write({DropJob{2}}));
  EXPECT_FALSE(journal_->UsesCode(hash).value());
}

TEST_F(JournalTest, FindJobReturnsNothingForAnUnknownId) {
  const auto found = journal_->FindJob(1);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->has_value());
}

TEST_F(JournalTest, RepeatedPutJobKeepsSpecAndAttempts) {
  Job job = MakeJob(1);
  ASSERT_TRUE(Write({PutJob{job}, PutAttempt{1, {.number = 1, .token = "t"}}}));
  job.state = State::kFailed;
  job.ended_ms = 9;
  job.spec.name = "another";
  ASSERT_TRUE(Write({PutJob{job}}));
  const Job back = journal_->FindJob(1).value().value();
  EXPECT_EQ(back.state, State::kFailed);
  EXPECT_EQ(back.ended_ms, 9);
  EXPECT_EQ(back.spec.name, "train");
  EXPECT_THAT(back.attempts, SizeIs(1));
  EXPECT_EQ(journal_->ListJobs({}).value()[0].name, "train");
}

TEST_F(JournalTest, AttemptsAreOrderedAndReplacedByNumber) {
  ASSERT_TRUE(Write({PutJob{MakeJob(1)}, PutAttempt{1, {.number = 2, .token = "b"}},
                     PutAttempt{1, {.number = 1, .token = "a"}}}));
  ASSERT_TRUE(Write({PutAttempt{1, {.number = 2, .token = "c"}}}));
  const Job back = journal_->FindJob(1).value().value();
  ASSERT_THAT(back.attempts, SizeIs(2));
  EXPECT_EQ(back.attempts[0].token, "a");
  EXPECT_EQ(back.attempts[1].token, "c");
}

TEST_F(JournalTest, ListShowsTheLastAttempt) {
  ASSERT_TRUE(Write({PutJob{MakeJob(1)}, PutAttempt{1, {.number = 1, .started_ms = 100}},
                     PutAttempt{1, {.number = 2, .started_ms = 200}},
                     PutAttempt{1, {.number = 1, .started_ms = 101}}}));
  const JobRow row = journal_->ListJobs({}).value().at(0);
  EXPECT_EQ(row.attempts, 2);
  EXPECT_EQ(row.started_ms, 200);
}

TEST_F(JournalTest, ListShowsTheDevicesOfAllRoles) {
  Job job = MakeJob(1);
  job.spec.roles = {{.name = "ps", .nodes = 1, .devices = {"cpu", 2}, .ranks = 2},
                    {.name = "worker", .nodes = 2, .devices = {"npu", 8}, .ranks = 8},
                    {.name = "evaluator", .nodes = 1, .devices = {"npu", 8}, .ranks = 1}};
  for (Role& role : job.spec.roles) role.run.text = "python train.py";
  ASSERT_TRUE(Write({PutJob{job}}));
  const JobRow row = journal_->ListJobs({}).value().at(0);
  EXPECT_EQ(row.devices, "cpu:2,npu:8");
  EXPECT_EQ(row.nodes, 4);
  EXPECT_EQ(row.ranks, 19);
}

TEST_F(JournalTest, EventNumbersIncreaseAndCanBeResumedAnywhere) {
  ASSERT_TRUE(Write({PutJob{MakeJob(1)}, PutJob{MakeJob(2)}}));
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(
        Write({AddEvent{1, 10 + i, "state", {{"n", i}}}, AddEvent{2, 20 + i, "other", {}}}));
  const auto all = journal_->Events(std::nullopt, 0, 100).value();
  ASSERT_THAT(all, SizeIs(6));
  for (size_t i = 1; i < all.size(); ++i) EXPECT_GT(all[i].seq, all[i - 1].seq);
  EXPECT_EQ(journal_->LastEventSeq().value(), all.back().seq);

  const auto first = journal_->Events(1, 0, 2).value();
  ASSERT_THAT(first, SizeIs(2));
  EXPECT_EQ(first[1].kind, "state");
  EXPECT_EQ(first[1].wall_ms, 11);
  EXPECT_EQ(GetInt(first[1].data, "n"), 1);
  const auto rest = journal_->Events(1, first[1].seq, 100).value();
  ASSERT_THAT(rest, SizeIs(1));
  EXPECT_EQ(GetInt(rest[0].data, "n"), 2);
  EXPECT_THAT(journal_->Events(std::nullopt, all.back().seq, 100).value(), IsEmpty());
  EXPECT_THAT(journal_->Events(std::nullopt, 0, -5).value(), IsEmpty());
}

TEST_F(JournalTest, KeyFindsAllJobsOfItsSubmit) {
  std::vector<Op> batch;
  for (JobId id : {4, 5, 6}) {
    Job job = MakeJob(id);
    job.key = "k";
    job.group = "sweep-1";
    batch.push_back(PutJob{job});
  }
  ASSERT_TRUE(Write(std::move(batch)));
  const auto use = journal_->FindKey("k").value();
  ASSERT_TRUE(use.has_value());
  EXPECT_THAT(use->jobs, ElementsAre(4, 5, 6));
  EXPECT_EQ(use->group, "sweep-1");
  EXPECT_FALSE(journal_->FindKey("other").value().has_value());
}

TEST_F(JournalTest, EmptyKeyFindsNoJobs) {
  ASSERT_TRUE(Write({PutJob{MakeJob(1)}, PutJob{MakeJob(2)}}));
  EXPECT_FALSE(journal_->FindKey("").value().has_value());
}

TEST_F(JournalTest, SecondSubmitUnderAUsedKeyIsRefused) {
  Job job = MakeJob(1);
  job.key = "k";
  ASSERT_TRUE(Write({PutJob{job}}));
  Job again = MakeJob(3);
  again.key = "k";
  const Status status = Write({PutJob{MakeJob(2)}, PutJob{again}});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kExists);
  EXPECT_THAT(Ids({}), ElementsAre(1));
  job.state = State::kRunning;
  EXPECT_TRUE(Write({PutJob{job}})) << "an update is no second submit";
}

TEST_F(JournalTest, UnfinishedJobsAreSortedByIdWithAttempts) {
  for (int i = 0; i < kStateCount; ++i) {
    Job job = MakeJob(10 - i);
    job.state = State(i);
    ASSERT_TRUE(Write({PutJob{job}, PutAttempt{job.id, {.number = 1, .token = "t"}}}));
  }
  const auto jobs = journal_->UnfinishedJobs().value();
  std::vector<JobId> ids;
  for (const Job& job : jobs) {
    EXPECT_FALSE(IsTerminal(job.state));
    EXPECT_THAT(job.attempts, SizeIs(1));
    ids.push_back(job.id);
  }
  EXPECT_THAT(ids, ElementsAre(7, 8, 9, 10));
}

TEST_F(JournalTest, RemovedJobIsGoneAndItsIdIsNotReused) {
  Job job = MakeJob(8);
  job.key = "k";
  ASSERT_TRUE(Write({PutJob{MakeJob(7)}, PutJob{job}, PutAttempt{8, {}}, AddEvent{8, 1, "a", {}}}));
  const int64_t seq = journal_->LastEventSeq().value();
  ASSERT_TRUE(Write({DropJob{8}}));
  EXPECT_TRUE(Write({DropJob{8}})) << "dropping twice is harmless";
  Reopen();
  EXPECT_FALSE(journal_->FindJob(8).value().has_value());
  EXPECT_FALSE(journal_->FindKey("k").value().has_value());
  EXPECT_THAT(journal_->Events(8, 0, 10).value(), IsEmpty());
  EXPECT_EQ(journal_->NextJobId().value(), 9);
  EXPECT_EQ(journal_->LastEventSeq().value(), seq);
  ASSERT_TRUE(Write({AddEvent{7, 1, "b", {}}}));
  EXPECT_GT(journal_->Events(7, 0, 10).value().at(0).seq, seq);
}

TEST_F(JournalTest, FirstIdIsOne) { EXPECT_EQ(journal_->NextJobId().value(), 1); }

TEST_F(JournalTest, WritesForAnUnknownJobAreRefusedByName) {
  const Status event = Write({AddEvent{5, 1, "a", {}}});
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().code, Code::kNotFound);
  EXPECT_THAT(event.error().text, HasSubstr("job 5"));
  const Status attempt = Write({PutAttempt{6, {.number = 3}}});
  ASSERT_FALSE(attempt);
  EXPECT_EQ(attempt.error().code, Code::kNotFound);
  EXPECT_THAT(attempt.error().text, HasSubstr("attempt 3 of job 6"));
}

TEST_F(JournalTest, InvalidIdsAreRefused) {
  for (const JobId id : {JobId{0}, JobId{-1}, JobId{1} << 53, INT64_MAX})
    EXPECT_EQ(Write({PutJob{MakeJob(id)}}).error().code, Code::kInvalid) << id;
}

TEST_F(JournalTest, FailedBatchLeavesNothing) {
  ASSERT_FALSE(Write({PutJob{MakeJob(1)}, AddEvent{1, 1, "a", {}}, AddEvent{99, 1, "a", {}}}));
  EXPECT_FALSE(journal_->FindJob(1).value().has_value());
  EXPECT_THAT(journal_->Events(std::nullopt, 0, 10).value(), IsEmpty());
}

TEST_F(JournalTest, EmptyBatchIsDurableImmediately) { EXPECT_TRUE(Write({})); }

TEST_F(JournalTest, AnyTextRoundTrips) {
  Job job = MakeJob(1);
  job.user = "Ω'; DROP TABLE jobs; --";
  job.reason = std::string("nul\0inside", 10);
  ASSERT_TRUE(Write({PutJob{job}}));
  const Job back = journal_->FindJob(1).value().value();
  EXPECT_EQ(back.user, job.user);
  EXPECT_EQ(back.reason, job.reason);
  EXPECT_THAT(Ids({.states = {}, .name = "", .group = "", .user = job.user, .before = {}}),
              SizeIs(1));
}

TEST_F(JournalTest, ListsAreFilteredAndPagedNewestFirst) {
  for (JobId id = 1; id <= 12; ++id) {
    Job job = MakeJob(id, id % 2 ? "odd" : "even");
    job.state = id % 3 ? State::kSucceeded : State::kFailed;
    job.group = id > 8 ? "late" : "";
    job.user = id % 4 ? "ann" : "bob";
    ASSERT_TRUE(Write({PutJob{job}}));
  }
  EXPECT_THAT(Ids({}), ElementsAre(12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1));
  EXPECT_THAT(Ids({.limit = 2}), ElementsAre(12, 11));
  EXPECT_THAT(Ids({.before = 11, .limit = 2}), ElementsAre(10, 9));
  EXPECT_THAT(Ids({.states = {State::kFailed}}), ElementsAre(12, 9, 6, 3));
  EXPECT_THAT(Ids({.states = {State::kFailed}, .before = 9}), ElementsAre(6, 3));
  EXPECT_THAT(Ids({.states = {State::kFailed, State::kSucceeded, State::kFailed}, .limit = 4}),
              ElementsAre(12, 11, 10, 9));
  EXPECT_THAT(Ids({.states = {State::kQueued}}), IsEmpty());
  EXPECT_THAT(Ids({.name = "odd", .before = 8}), ElementsAre(7, 5, 3, 1));
  EXPECT_THAT(Ids({.group = "late"}), ElementsAre(12, 11, 10, 9));
  EXPECT_THAT(Ids({.user = "bob"}), ElementsAre(12, 8, 4));
  EXPECT_THAT(Ids({.states = {State::kFailed}, .name = "even", .group = "late", .user = "bob"}),
              ElementsAre(12));
  EXPECT_THAT(Ids({.limit = 0}), IsEmpty());
  EXPECT_THAT(Ids({.limit = -1}), IsEmpty());
  EXPECT_THAT(Ids({.before = INT64_MIN}), IsEmpty());
}

TEST_F(JournalTest, EightThreadsWriteAndReadConcurrently) {
  constexpr int kThreads = 8;
  constexpr int kEach = 40;
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([this, t, &failed] {
        for (int i = 0; i < kEach; ++i) {
          const JobId id = 1 + t * kEach + i;
          journal_->Write({PutJob{MakeJob(id)}, AddEvent{id, i, "submitted", {}}},
                          [&failed](Status status) { failed += !status; });
          if (i % 10 == 0) failed += !journal_->ListJobs({}).has_value();
        }
        journal_->Flush();
      });
    }
  }
  EXPECT_EQ(failed, 0);
  EXPECT_THAT(Ids({.limit = 1000}), SizeIs(kThreads * kEach));
  EXPECT_THAT(journal_->Events(std::nullopt, 0, 1000).value(), SizeIs(kThreads * kEach));
}

TEST_F(JournalTest, BatchesOfOneThreadAreCommittedInOrder) {
  std::vector<int> order;
  Job job = MakeJob(1);
  journal_->Write({PutJob{job}}, [&](Status) { order.push_back(0); });
  for (int i = 1; i <= 50; ++i)
    journal_->Write({AddEvent{1, i, "e", {}}}, [&order, i](Status) { order.push_back(i); });
  journal_->Flush();
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_THAT(order, SizeIs(51));
  const auto events = journal_->Events(1, 0, 100).value();
  for (size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].wall_ms, int64_t(i) + 1);
}

TEST_F(JournalTest, DestructorCommitsQueuedBatches) {
  std::atomic<int> told = 0;
  for (JobId id = 1; id <= 100; ++id)
    journal_->Write({PutJob{MakeJob(id)}}, [&told](Status status) { told += status.has_value(); });
  Reopen();
  EXPECT_EQ(told, 100);
  EXPECT_THAT(Ids({}), SizeIs(100));
}

TEST_F(JournalTest, CloseLeavesOneFile) {
  ASSERT_TRUE(Write({PutJob{MakeJob(1)}}));
  journal_.reset();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "journal.db-wal"));
}

}  // namespace
}  // namespace muster::store
