#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "base/rare_log.h"
#include "base/result.h"
#include "base/thread_annotations.h"
#include "os/file_identity.h"
#include "store/high_water_mark.h"
#include "store/journal.h"
#include "store/sqlite.h"

namespace muster::store {

// What a journal's writer needs beside the database.
struct WriterParts {
  os::FileGuard guard = {};  // files that must be where they were when a commit is acknowledged
  os::Path log = {};         // the log; joins the guard with its first commit
  std::optional<HighWaterMark> mark = {};
};

// The one thread that writes: takes all that waits, commits it as one transaction, tells everybody.
// One sync of the disk is so shared by as many batches as came in during the sync before. A commit
// that waits for the disk keeps all others waiting, so what can wait is gathered first.
class JournalWriter {
 public:
  // `db` is a journal that is up to date.
  explicit JournalWriter(Database db, WriterParts parts = {});
  // Commits what is queued.
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  // As Journal's.
  void Write(std::vector<Op> batch, Sync sync, std::function<void(Status)> done) EXCLUDES(mutex_);
  void Flush() EXCLUDES(mutex_);

  int64_t CommitsForTest() const { return commits_; }
  int64_t SyncsForTest() const { return syncs_; }  // commits that waited for the disk

 private:
  struct Pending {
    std::vector<Op> batch;
    Sync sync;
    std::function<void(Status)> done;
    Status status;
  };

  void Work();
  // Waits; empty only when there is nothing left and no more will come.
  std::vector<Pending> Take() EXCLUDES(mutex_);
  // How long those that can wait still may; 0 when they must go with the next commit.
  int64_t PatienceMs() const REQUIRES(mutex_);
  void CommitGroup(std::span<Pending> group);
  Status Commit(std::span<Pending> group);
  void TakeLog();
  void ReserveLog();
  bool MustWaitForRoom(const Pending& pending) const;
  void WriteMark();
  Status ChooseSync(std::span<const Pending> group);
  // Fails with what stops the group as a whole; what is wrong with one batch goes into its status.
  Status ApplyGroup(std::span<Pending> group);
  Status ApplyAlone(Pending& pending);
  void CheckpointIfDue();

  Mutex mutex_;
  CondVar wake_;                                     // something to write, or stopping
  CondVar finished_;                                 // told_ rose
  std::vector<Pending> queue_ GUARDED_BY(mutex_);    // kNow and kLazy
  std::vector<Pending> patient_ GUARDED_BY(mutex_);  // kSoon
  int64_t patient_since_ms_ GUARDED_BY(mutex_) = 0;  // steady: when the first of them came
  bool urgent_ GUARDED_BY(mutex_) = false;           // queue_ has a kNow, or Flush was called
  uint64_t queued_ GUARDED_BY(mutex_) = 0;           // batches ever
  uint64_t told_ GUARDED_BY(mutex_) = 0;             // of those, whose `done` has run
  bool stopping_ GUARDED_BY(mutex_) = false;

  static constexpr int kPagesToTruncate = 16'000;  // 64 MB; from here on readers are waited for

  Database db_;                         // the thread's own
  WriterParts parts_;                   // the thread's own
  os::Fd log_;                          // the thread's own
  int reserved_pages_ = 0;              // of the log, the thread's own
  bool has_reserve_ = true;             // the thread's own; false on a full disk
  JobId last_job_ = 0;                  // the thread's own: the largest id that was committed
  RareLog rare_;                        // the thread's own
  int truncate_at_ = kPagesToTruncate;  // the thread's own
  Sync mode_ = Sync::kNow;              // the thread's own: how the connection is set
  std::atomic<int64_t> commits_ = 0;
  std::atomic<int64_t> syncs_ = 0;
  std::jthread thread_;  // last: works with all of the above
};

}  // namespace muster::store
