#pragma once

#include <string>

#include "base/thread_annotations.h"
#include "s3/digest.h"
#include "transfer/location.h"
#include "transfer/worker.h"

namespace muster::transfer {

// Files of at least this size are preallocated: a full disk is detected at once, and ext4 writes
// them in two thirds of the time because it does not allocate page by page.
constexpr int64_t kWorthRoom = 1 << 20;

// A range of one file that is copied to the same offset of another file.
struct FileStretch {
  int from = -1, to = -1;  // not owned
  int64_t offset = 0, length = 0;
  const Location&
      // Printable names, computed only for an error because formatting costs more than copying 10
      // KiB.
      source;
  const Location& target;
};

// Copies in the kernel where possible, without a digest. kConflict if the source became shorter or
// the copy was stopped.
Outcome<void> CopyStretch(Worker& worker, const FileStretch& stretch);

// As CopyStretch, and returns the raw digest of the written bytes.
Outcome<std::string> CopyAndSum(Worker& worker, const FileStretch& stretch, s3::DigestKind kind);

// A file that several workers fill, each at its own offsets. The kernel serialises writes to one
// file, and a thread that waits for the inode lock spins; this class lets it sleep instead. Any
// thread.
class FilledFile {
 public:
  // Writes all bytes at the offset. `fd` must be the same in all calls.
  Status WriteAt(int fd, std::string_view bytes, int64_t offset, const std::string& shown)
      EXCLUDES(turn_);

 private:
  Mutex turn_;
};

}  // namespace muster::transfer
