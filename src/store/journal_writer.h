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

// The writing thread: commits all waiting batches as one transaction and calls their callbacks. One
// sync is thus shared by all batches that arrived during the previous sync. A commit that waits for
// the disk delays all others, so batches that can wait are gathered first.
class JournalWriter {
 public:
  // `db` is a journal with the current schema.
  explicit JournalWriter(Database db, WriterParts parts = {});
  // Commits queued batches.
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  // As in Journal.
  void Write(std::vector<Op> batch, Sync sync, std::function<void(Status)> done) EXCLUDES(mutex_);
  void Flush() EXCLUDES(mutex_);

  int64_t CommitsForTest() const { return commits_; }
  int64_t SyncsForTest() const { return syncs_; }  // commits with a sync

 private:
  struct Pending {
    std::vector<Op> batch;
    Sync sync;
    std::function<void(Status)> done;
    Status status;
  };

  void Work();
  // Waits; empty only after the last batch at shutdown.
  std::vector<Pending> Take() EXCLUDES(mutex_);
  // How long kSoon batches may still wait; 0 if they must be part of the next commit.
  int64_t PatienceMs() const REQUIRES(mutex_);
  void CommitGroup(std::span<Pending> group);
  Status Commit(std::span<Pending> group);
  void TakeLog();
  void ReserveLog();
  bool MustWaitForRoom(const Pending& pending) const;
  void WriteMark();
  Status ChooseSync(std::span<const Pending> group);
  // Returns a failure of the whole group; the failure of one batch is stored in its status.
  Status ApplyGroup(std::span<Pending> group);
  Status ApplyAlone(Pending& pending);
  void CheckpointIfDue();

  Mutex mutex_;
  CondVar wake_;                                     // a batch is queued, or shutdown
  CondVar finished_;                                 // told_ increased
  std::vector<Pending> queue_ GUARDED_BY(mutex_);    // kNow and kLazy
  std::vector<Pending> patient_ GUARDED_BY(mutex_);  // kSoon
  int64_t patient_since_ms_ GUARDED_BY(mutex_) = 0;  // steady time of the first one
  bool urgent_ GUARDED_BY(mutex_) = false;           // queue_ contains kNow, or Flush was called
  uint64_t queued_ GUARDED_BY(mutex_) = 0;           // total number of batches
  uint64_t told_ GUARDED_BY(mutex_) = 0;             // number of batches whose `done` has run
  bool stopping_ GUARDED_BY(mutex_) = false;

  static constexpr int kPagesToTruncate = 16'000;  // 64 MB; above it the writer waits for readers

  Database db_;                         // used by the thread only
  WriterParts parts_;                   // used by the thread only
  os::Fd log_;                          // the thread's own
  int reserved_pages_ = 0;              // of the log, the thread's own
  bool has_reserve_ = true;             // the thread's own; false on a full disk
  JobId last_job_ = 0;                  // the thread's own: the largest id that was committed
  RareLog rare_;                        // the thread's own
  int truncate_at_ = kPagesToTruncate;  // the thread's own
  Sync mode_ = Sync::kNow;  // used by the thread only: the current setting of the connection
  std::atomic<int64_t> commits_ = 0;
  std::atomic<int64_t> syncs_ = 0;
  std::jthread thread_;  // last member: uses all of the above
};

}  // namespace muster::store
