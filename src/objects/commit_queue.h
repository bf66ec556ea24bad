#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "base/thread_annotations.h"
#include "objects/s3_error.h"
#include "os/fd.h"

namespace muster::objects {

// Makes writes last before they are said to be done. Whatever waits when a thread comes free is one
// group: all its files are synced, then all are published, then all folders that this touched are
// synced once. So many small writes at a time cost little more than one. Where a journal keeps the
// order (os/journal.h) a file that gets its name by the publishing needs no sync of its own: its
// bytes are written before, and the folder's sync brings the rest.
class CommitQueue {
 public:
  struct Commit {
    // Where something has to be waited for: more files to sync. On a thread of the queue.
    std::function<S3Result<std::vector<os::Fd>>()> prepare;
    std::vector<os::Fd> files;  // synced
    bool renames = false;       // publish gives the files names in folders that it returns
    // Shows the write to everybody; what has to be synced for that to last. On a thread of the
    // queue.
    std::function<S3Result<std::vector<os::Fd>>()> publish;
    std::function<void(S3Status)> done;  // on a thread of the queue; may submit more
  };

  enum class Sync {
    kNone,  // publish and done run within Submit, on the caller's thread
    kFilesFirst,
    kByJournal,  // where os::JournalKeepsOrder
  };
  CommitQueue(Sync sync, int threads);
  ~CommitQueue();
  CommitQueue(const CommitQueue&) = delete;
  CommitQueue& operator=(const CommitQueue&) = delete;

  bool syncs() const { return sync_ != Sync::kNone; }
  void Submit(Commit commit) EXCLUDES(mutex_);  // any thread
  void Drain() EXCLUDES(mutex_);  // finishes what was submitted; nothing may be from here on
  // The same, waiting for it. Not on a thread that the queue's callbacks wait for.
  S3Status Run(std::vector<os::Fd> files, std::function<S3Result<std::vector<os::Fd>>()> publish)
      EXCLUDES(mutex_);

 private:
  void Work() EXCLUDES(mutex_);

  const Sync sync_;
  Mutex mutex_;
  CondVar wake_;
  std::vector<Commit> waiting_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;  // gone after Drain
};

}  // namespace muster::objects
