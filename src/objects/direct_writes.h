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

// Writes pieces of large files past the page cache (O_DIRECT) on separate threads while more data
// arrives: the data is not copied to the cache, and the later sync has nothing to write.
class DirectWrites {
 public:
  // The writes to one file. Any thread.
  class File {
   public:
    explicit File(os::Fd fd) : fd_(std::move(fd)) {}
    // Waits for all writes; returns the first error.
    Status Settle() EXCLUDES(mutex_);
    // Drops writes that have not started. After it returns, none starts.
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
  ~DirectWrites();  // finishes running writes
  DirectWrites(const DirectWrites&) = delete;
  DirectWrites& operator=(const DirectWrites&) = delete;

  // Opens the same file for direct writes; null if its file system does not support them.
  static std::shared_ptr<File> Open(int fd);

  // Whether the alignment of the piece permits a direct write.
  static bool Fits(int64_t offset, const s3::Piece& piece);
  // False if too many bytes are queued; the page cache is then better. An error is that of an
  // earlier piece.
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
  size_t under_way_ GUARDED_BY(mutex_) = 0;  // queued and running bytes
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;
};

}  // namespace muster::objects
