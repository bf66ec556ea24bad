#include "api/event_stream.h"

#include <gmock/gmock.h>

#include "api/testing/fake_jobs.h"
#include "api/testing/stream_reader.h"
#include "os/temp_dir.h"

namespace muster::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class EventStreamTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = store::Journal::Open(dir_ / "journal.db");
    ASSERT_TRUE(opened) << opened.error().text;
    journal_ = *std::move(opened);
    PutJob(1, State::kRunning);
    PutJob(2, State::kRunning);
  }
  void Write(std::vector<store::Op> ops) {
    journal_->Write(std::move(ops), [](Status status) { ASSERT_TRUE(status); });
    journal_->Flush();
  }
  void PutJob(JobId id, State state) {
    Job job;
    job.id = id;
    job.spec.name = "job";
    job.spec.roles.emplace_back().run.text = "train";
    job.state = state;
    Write({store::PutJob{job}});
  }
  void Add(JobId job, std::string kind) {
    Write({store::AddEvent{job, 5, std::move(kind), {{"n", 1}}}});
    jobs_.Tell();
  }
  StreamReader Open(std::optional<JobId> job, int64_t after = 0) {
    return StreamReader(std::make_unique<EventStream>(jobs_, *journal_, job, after));
  }
  static std::vector<std::string> Kinds(const StreamReader& reader) {
    std::vector<std::string> kinds;
    for (const json::object& data : reader.DataOf("message"))
      kinds.emplace_back(GetString(data, "kind"));
    return kinds;
  }

  os::TempDir dir_;
  std::unique_ptr<store::Journal> journal_;
  FakeJobs jobs_{dir_.path()};
};

TEST_F(EventStreamTest, SendsEventsOfAllJobsAndContinues) {
  Add(1, "a");
  Add(2, "b");
  StreamReader reader = Open(std::nullopt).Drain();
  EXPECT_THAT(Kinds(reader), ElementsAre("a", "b"));
  EXPECT_TRUE(reader.waits());
  Add(1, "c");
  EXPECT_EQ(reader.wakes(), 1);
  EXPECT_THAT(Kinds(reader.Drain()), ElementsAre("a", "b", "c"));
  EXPECT_EQ(reader.events[0].data,
            fmt::format(R"({{"seq":{},"job":1,"wall_ms":5,"kind":"a","data":{{"n":1}}}})",
                        reader.events[0].id));
}

TEST_F(EventStreamTest, StreamOfOneJobEndsWithTheJob) {
  Add(1, "a");
  Add(2, "other");
  StreamReader reader = Open(1).Drain();
  EXPECT_TRUE(reader.waits());
  PutJob(1, State::kSucceeded);
  Add(1, "ended");
  EXPECT_TRUE(reader.Drain().ended());
  EXPECT_THAT(Kinds(reader), ElementsAre("a", "ended"));
}

TEST_F(EventStreamTest, ResumesAfterAnySeqWithoutLossOrDuplicate) {
  std::vector<store::Op> ops;
  for (int i = 0; i < 500; ++i) ops.push_back(store::AddEvent{1, 5, fmt::format("e{}", i), {}});
  Write(std::move(ops));
  const StreamReader all = Open(std::nullopt).Drain();
  ASSERT_EQ(all.events.size(), 500u);
  for (size_t i = 0; i < all.events.size(); i += 97) {
    const StreamReader rest = Open(std::nullopt, std::stoll(all.events[i].id)).Drain();
    ASSERT_EQ(rest.events.size(), all.events.size() - i - 1);
    if (!rest.events.empty()) EXPECT_EQ(rest.events[0].id, all.events[i + 1].id);
  }
}

TEST_F(EventStreamTest, NothingFollowsTheLastEvent) {
  Add(1, "a");
  const StreamReader reader = Open(std::nullopt, std::numeric_limits<int64_t>::max()).Drain();
  EXPECT_TRUE(reader.waits());
  EXPECT_THAT(reader.events, IsEmpty());
}

TEST_F(EventStreamTest, EndsWhenTheJobIsRemovedAndRemovesItsWatch) {
  {
    StreamReader reader = Open(2).Drain();
    EXPECT_TRUE(reader.waits());
    Write({store::DropJob{2}});
    jobs_.Tell();
    EXPECT_TRUE(reader.Drain().ended());
  }
  EXPECT_EQ(jobs_.watchers(), 0u);
}

}  // namespace
}  // namespace muster::api
