#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "os/file.h"

namespace muster::store {

// A folder or file that is removed at the end of its scope, unless it was kept.
class Scratch {
 public:
  explicit Scratch(os::Path path) : path_(std::move(path)) {}
  ~Scratch() {
    if (!path_.empty()) (void)os::RemoveTree(path_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const os::Path& path() const { return path_; }
  void Keep() { path_.clear(); }

 private:
  os::Path path_;
};

// Copies durably to a new name; removes the copy on failure.
Status CopyFile(const os::Path& from, const os::Path& to, mode_t mode);

// Creates a hard link, or a copy if the file system supports no (further) link.
Status LinkOrCopy(const os::Path& from, const os::Path& to, mode_t mode);

// Renames a finished file, or drops it if the name exists: blobs of one name are equal. An existing
// blob is never replaced, because linking to a file fails at the instant of its replacement.
Status Publish(const os::Path& from, const os::Path& to);

// Resets the age of the file.
void Touch(const os::Path& path);

}  // namespace muster::store
