#include "store/journal_writer.h"

#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <future>

#include <gmock/gmock.h>

#include "os/temp_dir.h"
#include "store/schema.h"
#include "store/test_jobs.h"

namespace muster::store {
namespace {

using testing::Each;
using testing::ElementsAre;

class JournalWriterTest : public testing::Test {
 protected:
  os::Path File() const { return folder_ / "journal.db"; }

  Database Open() {
    std::ofstream(File(), std::ios::app).flush();
    Database db = std::move(Database::Open(File()).value());
    EXPECT_TRUE(
        db.Script("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                  "PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000;"));
    EXPECT_TRUE(BringUpToDate(db));
    return db;
  }

  // Runs `queue` while the writer is blocked, so that its batches form one group.
  void AsOneGroup(JournalWriter& writer, const std::function<void()>& queue) {
    std::promise<void> entered, leave;
    writer.Write({}, Sync::kNow, [&](Status) {
      entered.set_value();
      leave.get_future().wait();
    });
    entered.get_future().wait();
    queue();
    leave.set_value();
    writer.Flush();
  }

  os::TempDir folder_;
};

// An event of `bytes`.
AddEvent BigEvent(JobId job, size_t bytes) { return {job, 1, std::string(bytes, 'x'), {}}; }

TEST_F(JournalWriterTest, WaitingBatchesAreCommittedTogether) {
  JournalWriter writer(Open());
  AsOneGroup(writer, [&] {
    for (JobId id = 1; id <= 100; ++id) writer.Write({PutJob{MakeJob(id)}}, Sync::kNow, nullptr);
  });
  EXPECT_EQ(writer.CommitsForTest(), 2);  // the blocking batch, and the hundred
  EXPECT_EQ(Open().Number("SELECT count(*) FROM jobs").value(), 100);
}

TEST_F(JournalWriterTest, SyncsOnlyIfABatchOfTheGroupRequiresIt) {
  JournalWriter writer(Open());
  writer.Write({PutJob{MakeJob(1)}}, Sync::kNow, nullptr);
  writer.Flush();
  EXPECT_EQ(writer.SyncsForTest(), 1);
  for (int i = 0; i < 3; ++i) {
    writer.Write({AddEvent{1, i, "lazy", {}}}, Sync::kLazy, nullptr);
    writer.Flush();
  }
  EXPECT_EQ(writer.CommitsForTest(), 4);
  EXPECT_EQ(writer.SyncsForTest(), 1);
  AsOneGroup(writer, [&] {
    writer.Write({AddEvent{1, 4, "lazy", {}}}, Sync::kLazy, nullptr);
    writer.Write({AddEvent{1, 5, "now", {}}}, Sync::kNow, nullptr);
  });
  EXPECT_EQ(writer.SyncsForTest(), 3);  // including the blocking batch
  EXPECT_EQ(Open().Number("SELECT count(*) FROM events").value(), 5);
}

TEST_F(JournalWriterTest, LazyWritesPrecedeDelayedOnesWhichShareASync) {
  JournalWriter writer(Open());
  std::vector<std::string> done;
  const auto note = [&](const char* name) {
    return [&done, name](const Status& status) { done.emplace_back(status ? name : "failed"); };
  };
  AsOneGroup(writer, [&] {
    writer.Write({PutJob{MakeJob(1)}}, Sync::kSoon, note("first end"));
    writer.Write({PutJob{MakeJob(2)}}, Sync::kLazy, note("start"));
    writer.Write({PutJob{MakeJob(3)}}, Sync::kSoon, note("second end"));
  });
  EXPECT_THAT(done, ElementsAre("start", "first end", "second end"));
  EXPECT_EQ(writer.SyncsForTest(), 2);  // including the blocking batch
  EXPECT_EQ(Open().Number("SELECT count(*) FROM jobs").value(), 3);
}

TEST_F(JournalWriterTest, DelayedBatchIsPartOfTheNextUrgentCommit) {
  JournalWriter writer(Open());
  AsOneGroup(writer, [&] {
    writer.Write({PutJob{MakeJob(1)}}, Sync::kSoon, nullptr);
    writer.Write({PutJob{MakeJob(2)}}, Sync::kNow, nullptr);
  });
  EXPECT_EQ(writer.CommitsForTest(), 2);  // including the blocking batch
}

TEST_F(JournalWriterTest, DelayedBatchIsWrittenWithoutOthers) {
  JournalWriter writer(Open());
  std::promise<Status> written;
  writer.Write({PutJob{MakeJob(1)}}, Sync::kSoon,
               [&](Status status) { written.set_value(std::move(status)); });
  EXPECT_TRUE(written.get_future().get());
  EXPECT_EQ(writer.SyncsForTest(), 1);
}

TEST_F(JournalWriterTest, DelayedBatchIsWrittenAtShutdown) {
  {
    JournalWriter writer(Open());
    writer.Write({PutJob{MakeJob(1)}}, Sync::kSoon, nullptr);
  }
  EXPECT_EQ(Open().Number("SELECT count(*) FROM jobs").value(), 1);
}

TEST_F(JournalWriterTest, FailedBatchDoesNotAffectItsGroup) {
  JournalWriter writer(Open());
  std::vector<Code> failures;
  std::vector<int> succeeded;
  AsOneGroup(writer, [&] {
    for (int i = 1; i <= 5; ++i) {
      std::vector<Op> batch = {PutJob{MakeJob(i)}};
      if (i == 3) batch.push_back(AddEvent{99, 1, "no such job", {}});
      writer.Write(std::move(batch), Sync::kNow, [&, i](Status status) {
        if (status) succeeded.push_back(i);
        if (!status) failures.push_back(status.error().code);
      });
    }
  });
  EXPECT_THAT(succeeded, ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(failures, ElementsAre(Code::kNotFound));
  EXPECT_EQ(writer.CommitsForTest(), 2);
  EXPECT_EQ(Open().Number("SELECT count(*) FROM jobs WHERE id <> 3").value(), 4);
  EXPECT_EQ(Open().Number("SELECT count(*) FROM jobs").value(), 4);
}

TEST_F(JournalWriterTest, FullDiskFailsWaitingBatchesAndLaterWritesAreTried) {
  Database db = Open();
  ASSERT_TRUE(db.Script("PRAGMA max_page_count = 60"));
  JournalWriter writer(std::move(db));
  ASSERT_TRUE(WriteAndWait(writer, {PutJob{MakeJob(1)}, PutJob{MakeJob(2)}}));
  ASSERT_TRUE(WriteAndWait(writer, {BigEvent(1, 100'000)}));

  std::vector<Code> failures;
  AsOneGroup(writer, [&] {
    const auto done = [&](Status status) { failures.push_back(status.error().code); };
    writer.Write({AddEvent{2, 1, "small", {}}}, Sync::kNow, done);
    writer.Write({BigEvent(2, 400'000)}, Sync::kNow, done);
    writer.Write({AddEvent{2, 1, "small", {}}}, Sync::kNow, done);
  });
  ASSERT_EQ(failures.size(), 3u);
  EXPECT_THAT(failures, Each(Code::kNoSpace));
  EXPECT_EQ(Open().Number("SELECT count(*) FROM events").value(), 1);

  ASSERT_TRUE(WriteAndWait(writer, {DropJob{1}})) << "space becomes free";
  EXPECT_TRUE(WriteAndWait(writer, {BigEvent(2, 100'000)}));
}

TEST_F(JournalWriterTest, FileSizeLimitIsNoSpaceUntilRaised) {
  JournalWriter writer(Open());
  ASSERT_TRUE(WriteAndWait(writer, {PutJob{MakeJob(1)}}));
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{512 << 10, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status refused = WriteAndWait(writer, {BigEvent(1, 2 << 20)});
  const Status still_works = WriteAndWait(writer, {AddEvent{1, 1, "small", {}}});
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kNoSpace);
  EXPECT_TRUE(still_works);
  EXPECT_TRUE(WriteAndWait(writer, {BigEvent(1, 2 << 20)}));
}

TEST_F(JournalWriterTest, WalSizeIsBounded) {
  JournalWriter writer(Open());
  ASSERT_TRUE(WriteAndWait(writer, {PutJob{MakeJob(1)}}));
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(WriteAndWait(writer, {BigEvent(1, 1 << 20)}));
  EXPECT_LT(std::filesystem::file_size(File().string() + "-wal"), 16u << 20);
}

TEST_F(JournalWriterTest, ReaderDelaysTheCheckpointOnlyWhileItReads) {
  JournalWriter writer(Open());
  ASSERT_TRUE(WriteAndWait(writer, {PutJob{MakeJob(1)}}));
  Database reader = Open();
  ASSERT_TRUE(reader.Run("BEGIN"));
  ASSERT_TRUE(reader.Number("SELECT count(*) FROM jobs"));
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(WriteAndWait(writer, {BigEvent(1, 1 << 20)}));
  const auto held = std::filesystem::file_size(File().string() + "-wal");
  EXPECT_EQ(reader.Number("SELECT count(*) FROM events").value(), 0) << "as of one instant";
  ASSERT_TRUE(reader.Run("COMMIT"));
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(WriteAndWait(writer, {BigEvent(1, 1 << 20)}));
  EXPECT_LT(std::filesystem::file_size(File().string() + "-wal"), held + (8u << 20));
}

TEST_F(JournalWriterTest, DoneMayWriteAgain) {
  JournalWriter writer(Open());
  std::promise<Status> second;
  writer.Write({PutJob{MakeJob(1)}}, Sync::kNow, [&](Status) {
    writer.Write({AddEvent{1, 1, "next", {}}}, Sync::kNow,
                 [&](Status status) { second.set_value(std::move(status)); });
  });
  EXPECT_TRUE(second.get_future().get());
}

}  // namespace
}  // namespace muster::store
