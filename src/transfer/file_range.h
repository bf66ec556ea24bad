#pragma once

#include <string>

#include "base/thread_annotations.h"
#include "s3/digest.h"
#include "transfer/location.h"
#include "transfer/worker.h"

namespace muster::transfer {

// Files of so many bytes get their room before they are filled: a full disk is found at once, and
// ext4, which then need not look for room page by page, writes them in two thirds of the time.
constexpr int64_t kWorthRoom = 1 << 20;

// A stretch of one file on its way to the same place of another.
struct FileStretch {
  int from = -1, to = -1;  // borrowed
  int64_t offset = 0, length = 0;
  const Location&
      source;  // for people, who rarely need them: showing costs more than moving 10 KiB
  const Location& target;
};

// By the kernel where it can, without a look at the bytes. kConflict when the source became shorter
// or the copy was stopped.
Outcome<void> CopyStretch(Worker& worker, const FileStretch& stretch);

// The same, and the raw digest of what was written.
Outcome<std::string> CopyAndSum(Worker& worker, const FileStretch& stretch, s3::DigestKind kind);

// A file that workers fill with what comes, each its own stretches. The kernel lets one of them
// write at a time, and whoever waits for that there burns a processor that the sender may need;
// here it sleeps. Any thread.
class FilledFile {
 public:
  // All of it, at that place. `fd`: always the same.
  Status WriteAt(int fd, std::string_view bytes, int64_t offset, const std::string& shown)
      EXCLUDES(turn_);

 private:
  Mutex turn_;
};

}  // namespace muster::transfer
