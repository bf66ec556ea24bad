#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "base/thread_annotations.h"
#include "objects/s3_error.h"
#include "os/fd.h"

namespace muster::objects {

// Group commit of writes. All waiting writes form a group: their files are synced, then all are
// published, then all changed folders are synced once. Many concurrent small writes therefore cost
// little more than one. With an ordered journal (os/journal.h) a file that is renamed by publishing
// needs no sync: its data is written before, and the sync of the folder commits the rest.
class CommitQueue {
 public:
  struct Commit {
    // If the write has a dependency: returns more files to sync. Called on a thread of the queue.
    std::function<S3Result<std::vector<os::Fd>>()> prepare;
    std::vector<os::Fd> files;  // already synced
    bool renames = false;       // publish renames files into the folders that it returns
    // Makes the write visible and returns the folders to sync. Called on a thread of the queue.
    std::function<S3Result<std::vector<os::Fd>>()> publish;
    std::function<void(S3Status)> done;  // called on a thread of the queue; may submit more
  };

  enum class Sync {
    kNone,  // publish and done run inside Submit, on the caller's thread
    kFilesFirst,
    kByJournal,  // if os::JournalKeepsOrder
  };
  CommitQueue(Sync sync, int threads);
  ~CommitQueue();
  CommitQueue(const CommitQueue&) = delete;
  CommitQueue& operator=(const CommitQueue&) = delete;

  bool syncs() const { return sync_ != Sync::kNone; }
  void Submit(Commit commit) EXCLUDES(mutex_);  // any thread
  void Drain() EXCLUDES(mutex_);                // finishes submitted writes; no submit may follow
  // Submits and waits. Must not be called on a thread that the callbacks wait for.
  S3Status Run(std::vector<os::Fd> files, std::function<S3Result<std::vector<os::Fd>>()> publish)
      EXCLUDES(mutex_);

 private:
  void Work() EXCLUDES(mutex_);

  const Sync sync_;
  Mutex mutex_;
  CondVar wake_;
  std::vector<Commit> waiting_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;  // joined by Drain
};

}  // namespace muster::objects
