#pragma once

#include <string>

#include "s3/digest.h"
#include "transfer/worker.h"

namespace muster::transfer {

// A stretch of one file on its way to the same place of another.
struct FileStretch {
  int from = -1, to = -1;  // borrowed
  int64_t offset = 0, length = 0;
  std::string source, target;  // for people
};

// By the kernel where it can, without a look at the bytes. kConflict when the source became shorter
// or the copy was stopped.
Outcome<void> CopyStretch(Worker& worker, const FileStretch& stretch);

// The same, and the raw digest of what was written.
Outcome<std::string> CopyAndSum(Worker& worker, const FileStretch& stretch, s3::DigestKind kind);

// All of it, at that place.
Status WriteAt(int fd, std::string_view bytes, int64_t offset, const std::string& shown);

}  // namespace muster::transfer
