#include "store/journal_loss.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "os/temp_dir.h"
#include "store/journal.h"
#include "store/test_jobs.h"

namespace muster::store {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class JournalLossTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Journal>> Open(bool accept_loss = false) {
    return Journal::Open(file_, {.jobs = folder_ / "jobs", .accept_loss = accept_loss});
  }
  // Acknowledged jobs 1 to `count`, each with an event.
  void WriteJobs(int count) {
    auto journal = Open();
    ASSERT_TRUE(journal) << journal.error().text;
    for (JobId id = 1; id <= count; ++id)
      ASSERT_TRUE(WriteAndWait(**journal, {PutJob{MakeJob(id)}, AddEvent{id, 1, "a", {}}}));
  }
  // The same by a process that is killed then, so that the log keeps them.
  void WriteJobsAndDie(int count) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      auto journal = Open();
      for (JobId id = 1; journal && id <= count; ++id)
        if (!WriteAndWait(**journal, {PutJob{MakeJob(id)}, AddEvent{id, 1, "a", {}}})) ::_exit(1);
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    ASSERT_EQ(status, 0);
  }
  void ExpectRefusal(const std::string& known, const std::string& marked) {
    const auto journal = Open();
    ASSERT_FALSE(journal);
    EXPECT_EQ(journal.error().code, Code::kCorrupt);
    EXPECT_THAT(journal.error().text, AllOf(HasSubstr(known), HasSubstr(marked)));
    EXPECT_THAT(journal.error().next, HasSubstr("--accept-journal-loss"));
  }

  os::TempDir folder_;
  const os::Path file_ = folder_ / "journal.db";
  const os::Path log_ = folder_ / "journal.db-wal";
};

TEST_F(JournalLossTest, WholeJournalOpensAgainAndAgain) {
  for (int count : {3, 5}) WriteJobs(count);
  const auto journal = Open();
  ASSERT_TRUE(journal) << journal.error().text;
  EXPECT_THAT((*journal)->LostJobs(), IsEmpty());
}

TEST_F(JournalLossTest, TruncatedJournalIsRefusedAndLeftAsItIs) {
  WriteJobsAndDie(3);
  ASSERT_GT(os::FileSize(log_).value(), 0);
  const auto log = os::ReadFile(log_).value();
  ASSERT_EQ(::truncate(file_.c_str(), 0), 0);
  for (int i = 0; i < 2; ++i) {
    ExpectRefusal("ends at job 0 and event 0", "job 3 and event 3");
    EXPECT_EQ(os::ReadFile(log_).value(), log);
  }
}

TEST_F(JournalLossTest, RemovedJournalIsRefused) {
  WriteJobs(3);
  std::filesystem::remove(file_);
  ExpectRefusal("ends at job 0 and event 0", "job 3 and event 3");
}

TEST_F(JournalLossTest, DamageInTheMiddleOfTheLogIsRefusedAndTheLogKept) {
  WriteJobsAndDie(20);
  const int64_t size = os::FileSize(log_).value();
  {
    auto log = os::Open(log_, O_WRONLY);
    ASSERT_TRUE(log);
    ASSERT_EQ(::pwrite(log->get(), "########", 8, size / 2), 8);
  }
  const auto damaged = os::ReadFile(log_).value();
  ExpectRefusal("has lost data", "job 20 and event 20");
  EXPECT_EQ(os::ReadFile(log_).value(), damaged);
}

TEST_F(JournalLossTest, FolderOfAnUnknownJobIsALossWithoutAMark) {
  WriteJobs(2);
  std::filesystem::remove(folder_ / "journal.mark");
  ASSERT_TRUE(os::MakeDirs(folder_ / "jobs/2"));
  ASSERT_TRUE(Open());
  ASSERT_TRUE(os::MakeDirs(folder_ / "jobs/7"));
  ExpectRefusal("ends at job 2", "jobs/ has 1 folder that it does not know (7)");
}

TEST_F(JournalLossTest, AcceptedLossGivesNoNumberAgain) {
  WriteJobs(3);
  ASSERT_TRUE(os::MakeDirs(folder_ / "jobs/2"));
  ASSERT_TRUE(os::MakeDirs(folder_ / "jobs/5"));
  ASSERT_EQ(::truncate(file_.c_str(), 0), 0);
  {
    const auto journal = Open(true);
    ASSERT_TRUE(journal) << journal.error().text;
    EXPECT_THAT((*journal)->LostJobs(), ElementsAre(2, 5));
    EXPECT_EQ((*journal)->NextJobId().value(), 6);
    ASSERT_TRUE(WriteAndWait(**journal, {PutJob{MakeJob(6)}, AddEvent{6, 1, "a", {}}}));
    EXPECT_EQ((*journal)->LastEventSeq().value(), 4);
  }
  const auto again = Open();
  ASSERT_TRUE(again) << "it was accepted: " << again.error().text;
  EXPECT_THAT((*again)->ListJobs({}).value(), SizeIs(1));
}

TEST_F(JournalLossTest, LazyCommitsDoNotRaiseTheMark) {
  {
    auto journal = Open();
    ASSERT_TRUE(WriteAndWait(**journal, {PutJob{MakeJob(1)}}));
    (*journal)->Write({AddEvent{1, 1, "lazy", {}}}, Sync::kLazy, nullptr);
    (*journal)->Flush();
    EXPECT_EQ(HighWaterMark::Read(folder_ / "journal.mark")->event, 0);
  }
}

TEST_F(JournalLossTest, DamagedMarkIsNoLoss) {
  WriteJobs(2);
  ASSERT_TRUE(os::WriteFileAtomic(folder_ / "journal.mark", "job 99999999999999999999 event x\n"));
  EXPECT_TRUE(Open());
}

// -- while the journal is open

TEST_F(JournalLossTest, NothingIsAcknowledgedIntoARemovedFile) {
  for (const os::Path& victim : {file_, log_}) {
    auto journal = Open();
    ASSERT_TRUE(journal) << journal.error().text;
    const JobId id = (*journal)->NextJobId().value();
    ASSERT_TRUE(WriteAndWait(**journal, {PutJob{MakeJob(id)}}));
    std::filesystem::rename(victim, folder_ / "aside");
    const auto refused = WriteAndWait(**journal, {PutJob{MakeJob(id + 1)}});
    ASSERT_FALSE(refused) << victim;
    EXPECT_EQ(refused.error().code, Code::kIo);
    EXPECT_THAT(refused.error().text, HasSubstr(victim.string() + " was removed"));
    std::filesystem::rename(folder_ / "aside", victim);
    EXPECT_TRUE(WriteAndWait(**journal, {PutJob{MakeJob(id + 1)}})) << "it is back";
  }
}

TEST_F(JournalLossTest, NothingIsAcknowledgedOnceAnotherGuardedFileIsGone) {
  const os::Path lock = folder_ / "lock";
  ASSERT_TRUE(os::WriteFileAtomic(lock, ""));
  JournalOptions options;
  options.guard.Add(lock, os::IdentityOf(lock).value());
  auto journal = Journal::Open(file_, options);
  ASSERT_TRUE(WriteAndWait(**journal, {PutJob{MakeJob(1)}}));
  ASSERT_TRUE(os::WriteFileAtomic(lock, "another server's"));
  EXPECT_THAT(WriteAndWait(**journal, {PutJob{MakeJob(2)}}).error().text,
              HasSubstr("lock was replaced"));
}

}  // namespace
}  // namespace muster::store
