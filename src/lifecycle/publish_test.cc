#include <gtest/gtest.h>

#include "lifecycle/testing/conductor_bench.h"

namespace muster::lifecycle {
namespace {

// Jobs with an output in a bucket; the engine starts their publisher second.
class PublishTest : public ConductorTest {
 protected:
  json::object Far(std::string_view when = "success", int nodes = 1) {
    json::object document = Doc("npu:8", nodes);
    document["outputs"] =
        json::object{{"train_url", json::object{{"to", "s3://bkt/out"}, {"when", when}}}};
    return document;
  }
  JobId Run(const json::object& document, const ExitReport& exit = kGood) {
    const JobId id = SubmitOne(document);
    Begin(0);
    if (exit.how != ExitClass::kSucceeded)
      engine_->Say(engine_->started[0], 0, NodeFailed{0, exit, "rank 0"});
    End(0, exit);
    return id;
  }
  std::vector<std::string> Kinds(JobId id) {
    std::vector<std::string> kinds;
    const auto events = journal_->Events(id, 0, 1000);
    for (const auto& event : events.value()) kinds.push_back(event.kind);
    return kinds;
  }
  bool Has(JobId id, std::string_view kind) { return std::ranges::count(Kinds(id), kind) == 1; }
};

TEST_F(PublishTest, JobSucceedsOnlyAfterItsOutputsArePublished) {
  const JobId id = Run(Far("success", 2));
  EXPECT_EQ(StateOf(id), State::kRunning);
  ASSERT_EQ(engine_->started.size(), 2u);
  const auto& publisher = engine_->started[1];
  ASSERT_EQ(publisher.orders.size(), 1u);
  EXPECT_TRUE(publisher.orders[0].ranks.empty());
  EXPECT_NE(publisher.ref.token, engine_->started[0].ref.token);
  EXPECT_TRUE(publisher.ref.dir.ends_with("attempts/1/publish/1")) << publisher.ref.dir;
  EXPECT_TRUE(Has(id, "publishing"));
  Begin(1);
  End(1, kGood);
  EXPECT_EQ(StateOf(id), State::kSucceeded);
  EXPECT_TRUE(Has(id, "published"));
}

TEST_F(PublishTest, DevicesAreFreeDuringPublication) {
  const JobId id = Run(Far("success", 2));
  const JobId next = SubmitOne(Doc("npu:8", 2));
  EXPECT_EQ(StateOf(id), State::kRunning);
  EXPECT_EQ(StateOf(next), State::kStarting);
}

TEST_F(PublishTest, FailedPublicationFailsTheJobWithoutARetry) {
  json::object document = Far();
  document["retries"] = 3;
  const JobId id = Run(document);
  Begin(1);
  engine_->Say(engine_->started[1], 0,
               NodeFailed{-1, {.how = ExitClass::kCouldNotStart}, "node-0 cannot publish it"});
  End(1, kGood);
  const Job job = conductor_->Find(id).value();
  EXPECT_EQ(job.state, State::kFailed);
  EXPECT_EQ(job.attempts.size(), 1u);
  EXPECT_EQ(job.attempts[0].exit->how, ExitClass::kNotPublished);
  EXPECT_EQ(job.attempts[0].cause->what, "node-0 cannot publish it");
  EXPECT_NE(job.reason.find("node-0 cannot publish it"), std::string::npos) << job.reason;
}

TEST_F(PublishTest, FailedJobPublishesOnlyOnRequest) {
  const JobId quiet = Run(Far(), kBad);
  EXPECT_EQ(StateOf(quiet), State::kFailed);
  ASSERT_EQ(engine_->started.size(), 1u);
  const JobId loud = SubmitOne(Far("always"));
  Begin(1);
  engine_->Say(engine_->started[1], 0, NodeFailed{0, kBad, "rank 0"});
  End(1, kBad);
  EXPECT_EQ(StateOf(loud), State::kStopping);
  ASSERT_EQ(engine_->started.size(), 3u);
  engine_->Say(engine_->started[2], 0, NodeFailed{-1, kBad, "no bucket"});
  End(2, kGood);
  const Job job = conductor_->Find(loud).value();
  EXPECT_EQ(job.state, State::kFailed);
  EXPECT_EQ(job.attempts[0].exit->code, 7);  // the cause is unchanged
}

TEST_F(PublishTest, RetriedAttemptPublishesNothing) {
  json::object document = Far("always");
  document["retries"] = 1;
  Run(document, kBad);
  ASSERT_EQ(engine_->started.size(), 2u);
  EXPECT_EQ(engine_->started[1].ref.attempt, 2);
  EXPECT_FALSE(engine_->started[1].orders[0].ranks.empty());
}

TEST_F(PublishTest, KilledPublisherIsReplaced) {
  const JobId id = Run(Far());
  engine_->Lose(1, 0, "its launcher died");
  Settle();
  ASSERT_EQ(engine_->started.size(), 3u);
  EXPECT_NE(engine_->started[2].ref.token, engine_->started[1].ref.token);
  EXPECT_TRUE(engine_->started[2].ref.dir.ends_with("publish/2"));
  engine_->Lose(1, 0, "said late, of one that does not count any more");
  Settle();
  EXPECT_EQ(engine_->started.size(), 3u);
  End(2, kGood);
  EXPECT_EQ(StateOf(id), State::kSucceeded);
}

TEST_F(PublishTest, RestartedServerContinuesAtTheRecordOffset) {
  const JobId id = Run(Far());
  engine_->Say(engine_->started[1], 0, StageNote{"half of it", true});
  const std::string token = engine_->started[1].ref.token;
  Crash();
  Open();
  EXPECT_EQ(StateOf(id), State::kRunning);
  const auto& again = engine_->started.back();
  EXPECT_EQ(again.ref.token, token);
  EXPECT_EQ(again.offsets.at(0), 100);
  End(engine_->started.size() - 1, kGood);
  EXPECT_EQ(StateOf(id), State::kSucceeded);
}

TEST_F(PublishTest, DestinationsAreKeptWithTheAttempt) {
  const JobId id = Run(Far());
  engine_->Say(engine_->started[1], 0, StageNote{"half of it", true});
  engine_->Say(engine_->started[1], 0, StageNote{"train_url: 2 files, published to s3://out/"});
  Crash();
  Open();
  End(engine_->started.size() - 1, kGood);
  EXPECT_EQ(conductor_->Find(id)->attempts[0].publish->notes,
            std::vector<std::string>{"train_url: 2 files, published to s3://out/"});
}

TEST_F(PublishTest, StopInterruptsThePublication) {
  const JobId id = Run(Far());
  ASSERT_TRUE(Stop(id));
  EXPECT_EQ(engine_->stops.back().first.token, engine_->started[1].ref.token);
  engine_->Lose(1, 0, "killed");
  Settle();
  EXPECT_EQ(engine_->started.size(), 2u);
  EXPECT_EQ(StateOf(id), State::kStopped);
}

TEST_F(PublishTest, LogsOfAStoppedJobArePublished) {
  json::object document = Doc();
  document["logs"] = "obs://bkt/log";
  const JobId id = SubmitOne(document);
  Begin(0);
  ASSERT_TRUE(Stop(id));
  End(0, {.how = ExitClass::kStopped, .signal = 15, .stopped_by = StoppedBy::kUser});
  EXPECT_EQ(StateOf(id), State::kStopping);
  ASSERT_EQ(engine_->started.size(), 2u);
  End(1, kGood);
  EXPECT_EQ(StateOf(id), State::kStopped);
}

}  // namespace
}  // namespace muster::lifecycle
