#pragma once

#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/thread_annotations.h"
#include "os/fd.h"
#include "s3/piece.h"

namespace muster::objects {

// Writes pieces of large files past the page cache, on threads of its own, while more of them
// comes: what will be synced need not be copied there first, and its sync finds nothing to write.
class DirectWrites {
 public:
  // The writes to one file. Any thread.
  class File {
   public:
    explicit File(os::Fd fd) : fd_(std::move(fd)) {}
    // Waits for all of them; the first error.
    Status Settle() EXCLUDES(mutex_);
    // Those that have not begun are left out. When this returns none will begin any more.
    void Abandon() EXCLUDES(mutex_);

   private:
    friend class DirectWrites;
    Status Begin() EXCLUDES(mutex_);
    void Do(int64_t offset, std::string_view bytes) EXCLUDES(mutex_);

    const os::Fd fd_;
    Mutex mutex_;
    CondVar settled_;
    int under_way_ GUARDED_BY(mutex_) = 0;
    bool abandoned_ GUARDED_BY(mutex_) = false;
    Status status_ GUARDED_BY(mutex_);
  };

  explicit DirectWrites(int threads);
  ~DirectWrites();  // what is under way is done first
  DirectWrites(const DirectWrites&) = delete;
  DirectWrites& operator=(const DirectWrites&) = delete;

  // The same file once more; null where its file system cannot be written so.
  static std::shared_ptr<File> Open(int fd);

  // Whether a piece can be written so at all.
  static bool Fits(int64_t offset, const s3::Piece& piece);
  // False: too much is under way already, so that memory runs short and the page cache is better.
  // An error is that of a piece before.
  Result<bool> Write(const std::shared_ptr<File>& file, int64_t offset, s3::SharedPiece piece)
      EXCLUDES(mutex_);

 private:
  struct Job {
    std::shared_ptr<File> file;
    int64_t offset = 0;
    s3::SharedPiece piece;
  };

  void Work() EXCLUDES(mutex_);
  std::optional<Job> Next(size_t done) EXCLUDES(mutex_);

  Mutex mutex_;
  CondVar wake_;
  std::deque<Job> jobs_ GUARDED_BY(mutex_);
  size_t under_way_ GUARDED_BY(mutex_) = 0;  // bytes, those of running jobs too
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;
};

}  // namespace muster::objects
