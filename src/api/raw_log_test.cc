#include "api/raw_log.h"

#include <fcntl.h>

#include <filesystem>

#include <gmock/gmock.h>

#include "api/testing/fake_jobs.h"
#include "api/testing/stream_reader.h"
#include "os/fake_loop.h"
#include "os/temp_dir.h"

namespace muster::api {
namespace {

constexpr JobId kJob = 7;

class RawLogTest : public testing::Test {
 protected:
  void Append(std::string_view text, int attempt = 1) {
    const os::Path path = jobs_.NodeDir(kJob, attempt, 0) / "rank0.log";
    const Result<os::Fd> file = os::Open(path, O_WRONLY | O_CREAT | O_APPEND);
    ASSERT_TRUE(file) << file.error().text;
    ASSERT_TRUE(os::WriteAll(file->get(), text));
  }
  StreamReader Open(RawLogOptions options) {
    options.job = kJob;
    return StreamReader(std::make_unique<RawLogStream>(StreamParts{jobs_, loop_, files_}, options));
  }
  void Notice() {
    loop_.ReadyAll();
    loop_.Advance(10);
  }

  os::TempDir dir_;
  os::FakeLoop loop_;
  os::FileWatch files_{loop_};
  FakeJobs jobs_{dir_.path()};
};

TEST_F(RawLogTest, SendsTheVeryBytes) {
  jobs_.AddAttempt(kJob, 1, 1);
  std::string bytes;
  for (int i = 0; i < 2'000'000; ++i) bytes += char(i * 7 + i / 251);
  Append(bytes);
  const StreamReader reader = Open({.attempt = 1}).Drain();
  EXPECT_TRUE(reader.ended());
  EXPECT_TRUE(reader.bytes == bytes);
}

TEST_F(RawLogTest, KeepsToOffsetAndLimit) {
  jobs_.AddAttempt(kJob, 1, 1);
  Append("0123456789");
  EXPECT_EQ(Open({.attempt = 1, .offset = 3, .limit = 4}).Drain().bytes, "3456");
  EXPECT_EQ(Open({.attempt = 1, .offset = 8}).Drain().bytes, "89");
  EXPECT_EQ(Open({.attempt = 1, .offset = 99}).Drain().bytes, "");
  StreamReader follower = Open({.attempt = 1, .offset = 8, .limit = 3, .follow = true});
  follower.Drain();
  EXPECT_TRUE(follower.waits());
  Append("abc");
  Notice();
  EXPECT_TRUE(follower.Drain().ended());
  EXPECT_EQ(follower.bytes, "89a");
}

TEST_F(RawLogTest, FollowsUntilTheAttemptIsOver) {
  jobs_.AddAttempt(kJob, 1, 1);
  Append("one");
  StreamReader reader = Open({.attempt = 1, .follow = true}).Drain();
  EXPECT_TRUE(reader.waits());
  Append(" two");
  Notice();
  EXPECT_EQ(reader.wakes(), 1);
  reader.Drain();
  Append(" three");
  jobs_.End(kJob, State::kSucceeded, {});
  jobs_.Tell();
  EXPECT_TRUE(reader.Drain().ended());
  EXPECT_EQ(reader.bytes, "one two three");
}

TEST_F(RawLogTest, FollowsAJobThatWaitsInTheQueue) {
  jobs_[kJob].state = State::kQueued;
  StreamReader reader = Open({.follow = true}).Drain();
  EXPECT_TRUE(reader.waits());
  jobs_.AddAttempt(kJob, 1, 1);
  std::filesystem::remove_all(jobs_.NodeDir(kJob, 1, 0));
  jobs_.Tell();
  EXPECT_TRUE(reader.Drain().waits());
  ASSERT_TRUE(os::MakeDirs(jobs_.NodeDir(kJob, 1, 0)));
  loop_.Advance(200);
  EXPECT_TRUE(reader.Drain().waits());
  Append("begun");
  Notice();
  EXPECT_EQ(reader.Drain().bytes, "begun");
}

TEST_F(RawLogTest, KeepsToOneAttempt) {
  jobs_.AddAttempt(kJob, 1, 1).ended_ms = 1;
  Append("first");
  jobs_.AddAttempt(kJob, 1, 1);
  Append("second", 2);
  EXPECT_EQ(Open({.attempt = 1, .follow = true}).Drain().bytes, "first");
  EXPECT_EQ(Open({.follow = true}).Drain().bytes, "second");
}

TEST_F(RawLogTest, EndsWhenTheJobIsRemovedAndLeavesNoWatch) {
  jobs_.AddAttempt(kJob, 1, 1);
  {
    StreamReader reader = Open({.attempt = 1, .follow = true}).Drain();
    EXPECT_TRUE(reader.waits());
    jobs_.Remove(kJob);
    jobs_.Tell();
    EXPECT_TRUE(reader.Drain().ended());
  }
  EXPECT_EQ(jobs_.watchers(), 0u);
}

}  // namespace
}  // namespace muster::api
