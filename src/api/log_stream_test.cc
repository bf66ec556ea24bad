// Longer than most tests: every case uses the fixture of a job, its logs and the reader of the
// stream.
#include "api/log_stream.h"

#include <fcntl.h>

#include <filesystem>

#include <gmock/gmock.h>

#include "api/testing/fake_jobs.h"
#include "api/testing/stream_reader.h"
#include "base/text.h"
#include "os/fake_loop.h"
#include "os/temp_dir.h"

namespace muster::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr JobId kJob = 7;

class LogStreamTest : public testing::Test {
 protected:
  os::Path LogOf(int rank, int node = 0, int attempt = 1) {
    return jobs_.NodeDir(kJob, attempt, node) / fmt::format("rank{}.log", rank);
  }
  void Append(const os::Path& path, std::string_view text) {
    const Result<os::Fd> file = os::Open(path, O_WRONLY | O_CREAT | O_APPEND);
    ASSERT_TRUE(file) << file.error().text;
    ASSERT_TRUE(os::WriteAll(file->get(), text));
  }
  StreamReader Open(LogStreamOptions options = {}) {
    options.job = kJob;
    return StreamReader(std::make_unique<LogStream>(StreamParts{jobs_, loop_, files_}, options));
  }
  StreamReader Follow() { return Open({.follow = true}); }
  // Lets the file watch report changes.
  void Notice() {
    loop_.ReadyAll();
    loop_.Advance(10);
  }
  void End(State state = State::kSucceeded) {
    ExitReport report;
    report.how = state == State::kSucceeded ? ExitClass::kSucceeded : ExitClass::kExitCode;
    report.code = state == State::kSucceeded ? 0 : 3;
    jobs_.End(kJob, state, report);
    jobs_.Tell();
  }

  os::TempDir dir_;
  os::FakeLoop loop_;
  os::FileWatch files_{loop_};
  FakeJobs jobs_{dir_.path()};
};

std::string Line(int rank, int number) {
  return fmt::format("rank {} line {} {}\n", rank, number, std::string(size_t(number % 97), 'x'));
}

size_t OpenDescriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

TEST_F(LogStreamTest, StartsWithTheStateAndSendsAllRanks) {
  jobs_.AddAttempt(kJob, 2, 1);
  Append(LogOf(0, 0), "hello\n");
  Append(LogOf(1, 1), "there\n");
  StreamReader reader = Open().Drain();
  EXPECT_TRUE(reader.ended());
  ASSERT_THAT(reader.events, SizeIs(3));
  EXPECT_EQ(reader.events[0].event, "state");
  EXPECT_EQ(reader.events[0].data, R"({"state":"running","reason":""})");
  EXPECT_EQ(reader.events[1].event, "log");
  EXPECT_EQ(reader.events[1].id, "1;0:6");
  EXPECT_EQ(reader.events[1].data, R"({"attempt":1,"rank":0,"offset":0,"text":"hello\n"})");
  EXPECT_EQ(reader.events[2].id, "1;0:6,1:6");
  EXPECT_EQ(reader.TextOf(1), "there\n");
}

TEST_F(LogStreamTest, EndFollowsWhenTheJobEndedAndEveryByteWasSent) {
  jobs_.AddAttempt(kJob, 1, 2);
  Append(LogOf(0), "a\n");
  StreamReader reader = Follow().Drain();
  EXPECT_TRUE(reader.waits());
  EXPECT_THAT(reader.DataOf("end"), IsEmpty());
  // The last bytes are written before the job ends, without a notification.
  Append(LogOf(0), "b\nlast words");
  Append(LogOf(1), "c\n");
  End(State::kFailed);
  EXPECT_EQ(reader.wakes(), 1);
  reader.Drain();
  EXPECT_TRUE(reader.ended());
  EXPECT_EQ(reader.TextOf(0), "a\nb\nlast words");
  EXPECT_EQ(reader.TextOf(1), "c\n");
  EXPECT_EQ(reader.events.back().event, "end");
  EXPECT_EQ(reader.events.back().data, R"({"state":"failed","reason":"","exit_code":3})");
}

TEST_F(LogStreamTest, SendsBytesWrittenWhileItWaits) {
  jobs_.AddAttempt(kJob, 1, 1);
  StreamReader reader = Follow().Drain();
  ASSERT_TRUE(reader.waits());
  Append(LogOf(0), "now\n");
  Notice();
  EXPECT_EQ(reader.wakes(), 1);
  reader.Drain();
  EXPECT_EQ(reader.TextOf(0), "now\n");
  EXPECT_TRUE(reader.waits());
}

TEST_F(LogStreamTest, ResumeAfterAnyEventLosesAndDuplicatesNothing) {
  jobs_.AddAttempt(kJob, 1, 3);
  std::string whole[3];
  for (int number = 0; number < 900; ++number) whole[number % 3] += Line(number % 3, number);
  for (int rank = 0; rank < 3; ++rank) Append(LogOf(rank), whole[rank]);
  End();
  const StreamReader all = Open().Drain();
  for (int rank = 0; rank < 3; ++rank) ASSERT_EQ(all.TextOf(rank), whole[rank]);
  std::string sent[3];
  for (const http::SseEvent& event : all.events) {
    if (event.event != "log") continue;
    const json::object data = ParseJson(event.data)->as_object();
    sent[GetInt(data, "rank")] += GetString(data, "text");
    const StreamReader rest = Open({.resume = *ParsePosition(event.id)}).Drain();
    for (int rank = 0; rank < 3; ++rank)
      ASSERT_EQ(sent[rank] + rest.TextOf(rank), whole[rank]) << event.id;
  }
}

// A resumed stream may be cut before every rank was looked at: its ids still name all ranks that
// the client has begun.
TEST_F(LogStreamTest, ResumingAResumedStreamDoublesNoByte) {
  jobs_.AddAttempt(kJob, 1, 3);
  for (int rank = 0; rank < 3; ++rank) Append(LogOf(rank), "old\n");
  const std::string first = Open().Drain().events.back().id;
  Append(LogOf(0), "new\n");
  const StreamReader second = Open({.resume = *ParsePosition(first)}).Drain();
  EXPECT_EQ(second.events.back().id, "1;0:8,1:4,2:4");
  const StreamReader third = Open({.resume = *ParsePosition(second.events.back().id)}).Drain();
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(third.TextOf(rank), "") << rank;
}

TEST_F(LogStreamTest, EveryRankHasItsTurnBesideABusyRank) {
  jobs_.AddAttempt(kJob, 1, 2);
  std::string much;
  for (int number = 0; number < 20'000; ++number) much += Line(0, number);
  Append(LogOf(0), much);
  Append(LogOf(1), "me too\n");
  StreamReader reader = Open();
  ASSERT_TRUE(reader.ReadOnce());
  EXPECT_EQ(reader.TextOf(1), "me too\n");
  EXPECT_LT(reader.bytes.size(), 128u << 10);
  reader.Drain();
  EXPECT_EQ(reader.TextOf(0), much);
}

TEST_F(LogStreamTest, IncompleteLineWaitsForItsEnd) {
  jobs_.AddAttempt(kJob, 1, 1);
  Append(LogOf(0), "first\nhalf");
  StreamReader reader = Follow().Drain();
  EXPECT_EQ(reader.TextOf(0), "first\n");
  Append(LogOf(0), " a line\n");
  Notice();
  reader.Drain();
  ASSERT_THAT(reader.DataOf("log"), SizeIs(2));
  EXPECT_EQ(GetString(reader.DataOf("log")[1], "text"), "half a line\n");
}

TEST_F(LogStreamTest, IncompleteLineIsSentAfterATimeout) {
  jobs_.AddAttempt(kJob, 1, 1);
  Append(LogOf(0), "Continue? [y/n] ");
  StreamReader reader = Follow().Drain();
  EXPECT_EQ(reader.TextOf(0), "");
  loop_.Advance(200);
  EXPECT_EQ(reader.wakes(), 1);
  EXPECT_EQ(reader.Drain().TextOf(0), "Continue? [y/n] ");
}

TEST_F(LogStreamTest, WaitsForTheRestOfACharacter) {
  jobs_.AddAttempt(kJob, 1, 1);
  Append(LogOf(0), "caf\xc3");
  StreamReader reader = Follow().Drain();
  loop_.Advance(200);
  EXPECT_EQ(reader.Drain().TextOf(0), "caf");
  Append(LogOf(0), "\xa9\n");
  Notice();
  EXPECT_EQ(reader.Drain().TextOf(0), "caf\xc3\xa9\n");
}

TEST_F(LogStreamTest, LongLineIsCutAtWholeCharacters) {
  jobs_.AddAttempt(kJob, 1, 1);
  std::string bytes = "x";
  while (bytes.size() < 200'000) bytes += "\xe4\xb8\xad";
  Append(LogOf(0), bytes);
  End();
  EXPECT_EQ(Open().Drain().TextOf(0), bytes);
}

TEST_F(LogStreamTest, InvalidBytesBecomeReplacementCharacters) {
  jobs_.AddAttempt(kJob, 1, 1);
  Append(LogOf(0), std::string("a\xff\x00z\n", 5));
  const StreamReader reader = Open().Drain();
  EXPECT_EQ(reader.TextOf(0), std::string("a\xef\xbf\xbd\x00z\n", 7));
  EXPECT_EQ(reader.events.back().id, "1;0:5");
}

TEST_F(LogStreamTest, TailStartsWithTheLastLinesOfEachRank) {
  jobs_.AddAttempt(kJob, 1, 2);
  for (int number = 0; number < 100; ++number) Append(LogOf(0), fmt::format("{}\n", number));
  Append(LogOf(1), "only\n");
  const StreamReader reader = Open({.tail = 2}).Drain();
  EXPECT_EQ(reader.TextOf(0), "98\n99\n");
  EXPECT_EQ(reader.TextOf(1), "only\n");
  EXPECT_EQ(GetInt(reader.DataOf("log")[0], "offset"), 284);
}

TEST_F(LogStreamTest, EventsHaveTheTimesOfTheirBytes) {
  jobs_.AddAttempt(kJob, 1, 1);
  Append(LogOf(0), "one\ntwo\nhalf whole\nnew\n");
  Append(os::Path(LogOf(0)).replace_extension(".idx"), "1000 8\n1200 12\n1400 19\n");
  const StreamReader reader = Open({.times = true}).Drain();
  std::vector<std::pair<std::string, int64_t>> times;
  for (const json::object& data : reader.DataOf("log"))
    times.emplace_back(GetString(data, "text"), GetInt(data, "wall_ms"));
  EXPECT_THAT(times, testing::ElementsAre(std::pair("one\ntwo\n", 1000), std::pair("half", 1200),
                                          std::pair(" whole\n", 1400),
                                          std::pair("new\n", loop_.clock().WallMs())));
}

TEST_F(LogStreamTest, SinceBeginsWithWhatWasWrittenAfterATime) {
  jobs_.AddAttempt(kJob, 1, 1);
  Append(LogOf(0), "one\ntwo\nthree\n");
  Append(os::Path(LogOf(0)).replace_extension(".idx"), "1000 4\n1200 8\n1400 14\n");
  EXPECT_EQ(Open({.since_ms = 1001}).Drain().TextOf(0), "two\nthree\n");
  EXPECT_EQ(Open({.since_ms = 1201}).Drain().TextOf(0), "three\n");
  EXPECT_EQ(Open({.tail = 1, .since_ms = 1001}).Drain().TextOf(0), "three\n");
}

TEST_F(LogStreamTest, SomeRanksWhenAsked) {
  jobs_.AddAttempt(kJob, 1, 4);
  for (int rank = 0; rank < 4; ++rank) Append(LogOf(rank), fmt::format("{}\n", rank));
  const StreamReader reader = Open({.ranks = {0, 2}}).Drain();
  EXPECT_THAT(reader.DataOf("log"), SizeIs(2));
  EXPECT_EQ(reader.TextOf(0) + reader.TextOf(2), "0\n2\n");
}

TEST_F(LogStreamTest, SingleRankOnRequest) {
  jobs_.AddAttempt(kJob, 1, 3);
  for (int rank = 0; rank < 3; ++rank) Append(LogOf(rank), fmt::format("{}\n", rank));
  const StreamReader reader = Open({.ranks = {1}}).Drain();
  ASSERT_THAT(reader.DataOf("log"), SizeIs(1));
  EXPECT_EQ(reader.TextOf(1), "1\n");
}

TEST_F(LogStreamTest, WaitsForAQueuedJobAndItsFolder) {
  jobs_[kJob].state = State::kQueued;
  StreamReader reader = Follow().Drain();
  EXPECT_TRUE(reader.waits());
  jobs_.AddAttempt(kJob, 1, 1);
  std::filesystem::remove_all(jobs_.NodeDir(kJob, 1, 0));
  jobs_.Tell();
  reader.Drain();
  EXPECT_TRUE(reader.waits());
  ASSERT_TRUE(os::MakeDirs(jobs_.NodeDir(kJob, 1, 0)));
  Append(LogOf(0), "at last\n");
  loop_.Advance(200);
  EXPECT_EQ(reader.Drain().TextOf(0), "at last\n");
}

TEST_F(LogStreamTest, ContinuesWithTheNextAttempt) {
  jobs_.AddAttempt(kJob, 1, 1).ended_ms = 1;
  Append(LogOf(0), "first try\n");
  StreamReader reader = Open({.tail = 0, .follow = true});
  reader.Drain();
  EXPECT_TRUE(reader.waits());
  jobs_.AddAttempt(kJob, 1, 1);
  Append(LogOf(0, 0, 2), "second\ntry\n");
  jobs_.Tell();
  reader.Drain();
  EXPECT_EQ(reader.TextOf(0, 1), "");               // `tail` applied to the attempt at the start
  EXPECT_EQ(reader.TextOf(0, 2), "second\ntry\n");  // and not to later ones
  End();
  EXPECT_EQ(reader.Drain().events.back().event, "end");
}

TEST_F(LogStreamTest, ResumesInAnEarlierAttempt) {
  for (int attempt = 1; attempt <= 3; ++attempt) {
    jobs_.AddAttempt(kJob, 1, 1).ended_ms = 1;
    Append(LogOf(0, 0, attempt), fmt::format("of {}\n", attempt));
  }
  End();
  const StreamReader reader = Open({.resume = *ParsePosition("1;0:3")}).Drain();
  EXPECT_EQ(reader.TextOf(0, 1), "1\n");
  EXPECT_EQ(reader.TextOf(0, 2), "of 2\n");
  EXPECT_EQ(reader.TextOf(0, 3), "of 3\n");
}

TEST_F(LogStreamTest, ChosenAttemptEndsTheStream) {
  jobs_.AddAttempt(kJob, 1, 1);
  Append(LogOf(0), "one\n");
  StreamReader reader = Open({.attempt = 1, .follow = true});
  reader.Drain();
  EXPECT_TRUE(reader.waits());
  jobs_[kJob].attempts[0].ended_ms = 1;
  jobs_.AddAttempt(kJob, 1, 1);
  jobs_.Tell();
  reader.Drain();
  EXPECT_TRUE(reader.ended());
  EXPECT_THAT(reader.DataOf("end"), IsEmpty());  // the job continues
}

TEST_F(LogStreamTest, JobStoppedInTheQueueEndsAsStopped) {
  jobs_[kJob].state = State::kQueued;
  StreamReader reader = Follow().Drain();
  jobs_[kJob].state = State::kStopped;
  jobs_[kJob].reason = "stopped by ada";
  jobs_.Tell();
  reader.Drain();
  EXPECT_TRUE(reader.ended());
  EXPECT_EQ(reader.events.back().data,
            R"({"state":"stopped","reason":"stopped by ada","exit_code":130})");
}

TEST_F(LogStreamTest, EndsWhenTheJobIsRemoved) {
  jobs_.AddAttempt(kJob, 1, 1);
  StreamReader reader = Follow().Drain();
  jobs_.Remove(kJob);
  jobs_.Tell();
  EXPECT_TRUE(reader.Drain().ended());
}

TEST_F(LogStreamTest, FailedLookupIsReportedAndEndsTheStream) {
  jobs_.AddAttempt(kJob, 1, 1);
  StreamReader reader = Follow().Drain();
  jobs_.failure = Error{Code::kIo, "cannot read the journal", "", 0};
  jobs_.Tell();
  EXPECT_TRUE(reader.Drain().ended());
  EXPECT_EQ(reader.events.back().event, "error");
}

TEST_F(LogStreamTest, RemovedLogsAreEmpty) {
  jobs_.AddAttempt(kJob, 1, 1);
  std::filesystem::remove_all(jobs_.NodeDir(kJob, 1, 0));
  End();
  const StreamReader reader = Follow().Drain();
  EXPECT_TRUE(reader.ended());
  EXPECT_THAT(reader.DataOf("error"), IsEmpty());
  EXPECT_EQ(reader.events.back().event, "end");
}

TEST_F(LogStreamTest, WithoutFollowItEndsWithTheExistingOutput) {
  jobs_.AddAttempt(kJob, 1, 1);
  std::string much(300'000, 'x');
  Append(LogOf(0), much);
  StreamReader reader = Open();
  ASSERT_TRUE(reader.ReadOnce());
  Append(LogOf(0), "and more\n");
  reader.Drain();
  EXPECT_TRUE(reader.ended());
  EXPECT_EQ(reader.TextOf(0), much);
  EXPECT_THAT(reader.DataOf("end"), IsEmpty());
}

TEST_F(LogStreamTest, UnreadableLogIsReportedAndEndsTheStream) {
  jobs_.AddAttempt(kJob, 1, 1);
  std::filesystem::create_symlink("/etc/hostname", LogOf(0));  // symbolic links are never opened
  const StreamReader reader = Open().Drain();
  EXPECT_TRUE(reader.ended());
  ASSERT_THAT(reader.DataOf("error"), SizeIs(1));
  EXPECT_THAT(GetString(reader.DataOf("error")[0], "message"), testing::HasSubstr("rank0.log"));
}

TEST_F(LogStreamTest, ProgressHasTheLatestValues) {
  jobs_.AddAttempt(kJob, 1, 1);
  const os::Path series = jobs_.NodeDir(kJob, 1, 0) / "series";
  for (int step = 1; step <= 500; ++step)
    Append(series, fmt::format("{{\"wall_ms\":1,\"rank\":0,\"values\":{{\"step\":{}}}}}\n", step));
  StreamReader reader = Follow().Drain();
  ASSERT_THAT(reader.DataOf("progress"), SizeIs(1));
  EXPECT_EQ(GetDouble(*GetObject(reader.DataOf("progress")[0], "values"), "step"), 500);
  Append(series, "not JSON\n{\"rank\":0,\"values\":{\"step\":501}}\n{\"rank\":0,");
  Notice();
  reader.Drain();
  ASSERT_THAT(reader.DataOf("progress"), SizeIs(2));
  EXPECT_EQ(GetDouble(*GetObject(reader.DataOf("progress")[1], "values"), "step"), 501);
}

TEST_F(LogStreamTest, EachStateIsSentOnce) {
  jobs_.AddAttempt(kJob, 1, 1);
  StreamReader reader = Follow().Drain();
  jobs_.Tell();
  reader.Drain();
  jobs_[kJob].state = State::kStopping;
  jobs_.Tell();
  reader.Drain();
  std::vector<std::string> states;
  for (const json::object& data : reader.DataOf("state"))
    states.emplace_back(GetString(data, "state"));
  EXPECT_THAT(states, ElementsAre("running", "stopping"));
}

TEST_F(LogStreamTest, FilesOfManyRanksAreNotKeptOpen) {
  constexpr int kRanks = 200;
  jobs_.AddAttempt(kJob, 1, kRanks);
  for (int rank = 0; rank < kRanks; ++rank) Append(LogOf(rank), "hi\n");
  const size_t before = OpenDescriptors();
  StreamReader reader = Follow().Drain();
  EXPECT_EQ(OpenDescriptors(), before);
  EXPECT_THAT(reader.DataOf("log"), SizeIs(kRanks));
}

TEST_F(LogStreamTest, LeavesNoWatchOrTimerBehind) {
  jobs_.AddAttempt(kJob, 1, 1);
  Append(LogOf(0), "half");
  const size_t timers = loop_.timer_count();
  {
    StreamReader reader = Follow().Drain();
    EXPECT_EQ(jobs_.watchers(), 1u);
    EXPECT_GT(loop_.timer_count(), timers);
  }
  EXPECT_EQ(jobs_.watchers(), 0u);
  EXPECT_EQ(loop_.timer_count(), timers);
  Append(LogOf(0), "more\n");
  Notice();  // nobody is there to be told
}

}  // namespace
}  // namespace muster::api
