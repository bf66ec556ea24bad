#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/thread_annotations.h"
#include "store/journal.h"
#include "store/sqlite.h"

namespace muster::store {

// The one thread that writes: takes all that waits, commits it as one transaction, tells everybody.
// One sync of the disk is so shared by as many batches as came in during the sync before. A commit
// that waits for the disk keeps all others waiting, so what can wait is gathered first.
class JournalWriter {
 public:
  // `db` is a journal that is up to date.
  explicit JournalWriter(Database db);
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
  int truncate_at_ = kPagesToTruncate;  // the thread's own
  Sync mode_ = Sync::kNow;              // the thread's own: how the connection is set
  std::atomic<int64_t> commits_ = 0;
  std::atomic<int64_t> syncs_ = 0;
  std::jthread thread_;  // last: works with all of the above
};

}  // namespace muster::store
