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

// A durable copy under a name that nothing has yet; nothing stays when it fails.
Status CopyFile(const os::Path& from, const os::Path& to, mode_t mode);

// A hard link, or a copy where the file system has none or no more of them for this file.
Status LinkOrCopy(const os::Path& from, const os::Path& to, mode_t mode);

// Gives a finished file its name, or drops it when the name is taken: blobs of one name are the
// same. One that is there is never replaced, for linking to a file fails in the instant it loses
// its name.
Status Publish(const os::Path& from, const os::Path& to);

// Makes it young again.
void Touch(const os::Path& path);

}  // namespace muster::store
