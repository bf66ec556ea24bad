#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <random>

#include <gmock/gmock.h>

#include "os/fd.h"
#include "os/temp_dir.h"
#include "store/journal.h"
#include "store/test_jobs.h"

namespace muster::store {
namespace {

// The acknowledgements of the child: it writes a job's id to the pipe when the job is durable.
struct Victim {
  pid_t pid = -1;
  os::Fd acks;
};

// Writes jobs with two events each as fast as possible until it is killed. Never returns.
[[noreturn]] void WriteForever(const os::Path& file, int acks) {
  auto journal = Journal::Open(file);
  if (!journal) ::_exit(3);
  JobId id = (*journal)->NextJobId().value_or(0);
  for (;; ++id) {
    (*journal)->Write({PutJob{MakeJob(id)}, AddEvent{id, 1, "a", {}}, AddEvent{id, 2, "b", {}}},
                      [acks, id](const Status& status) {
                        if (!status || ::write(acks, &id, sizeof id) != sizeof id) ::_exit(4);
                      });
    if (id % 16 == 0) (*journal)->Flush();
  }
}

Victim StartVictim(const os::Path& file) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    WriteForever(file, ends[1]);
  }
  ::close(ends[1]);
  return {pid, os::Fd(ends[0])};
}

// Reads at least `count` acknowledged ids, kills the child, and reads the remaining ones.
std::vector<JobId> KillAfter(Victim& victim, int count) {
  std::vector<JobId> ids;
  JobId id = 0;
  while (::read(victim.acks.get(), &id, sizeof id) == sizeof id) {
    ids.push_back(id);
    if (int(ids.size()) == count) ::kill(victim.pid, SIGKILL);
  }
  int status = 0;
  ::waitpid(victim.pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  return ids;
}

TEST(JournalDurabilityTest, AcknowledgedJobsSurviveAKillDuringWrites) {
  os::TempDir folder;
  std::mt19937 random(20'240'131);
  std::vector<JobId> acknowledged;
  for (int round = 0; round < 20; ++round) {
    Victim victim = StartVictim(folder / "journal.db");
    ASSERT_GT(victim.pid, 0);
    for (JobId id : KillAfter(victim, 1 + int(random() % 60))) acknowledged.push_back(id);

    auto journal = Journal::Open(folder / "journal.db");
    ASSERT_TRUE(journal) << journal.error().text;
    std::vector<JobId> stored;
    for (const JobRow& row : (*journal)->ListJobs({.limit = 1'000'000}).value())
      stored.push_back(row.id);
    EXPECT_THAT(stored, testing::IsSupersetOf(acknowledged));
    EXPECT_TRUE((*journal)->FindJob(acknowledged.back()).value().has_value());
    // Batches are atomic: each job has both of its events or does not exist.
    EXPECT_EQ((*journal)->Events(std::nullopt, 0, 1'000'000).value().size(), stored.size() * 2);
  }
}

}  // namespace
}  // namespace muster::store
