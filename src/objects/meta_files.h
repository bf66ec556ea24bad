#pragma once

#include <sys/stat.h>

#include <atomic>
#include <string>
#include <vector>

#include "objects/folder.h"
#include "objects/object_meta.h"

namespace muster::objects {

// Where the metadata of a file lies: in its extended attribute "user.muster", so that it moves and
// vanishes with the file; or, where that has no room or the file system has none, in a file of its
// own named after inode, time and size of the one it belongs to. Either counts only as long as the
// file has the time and size that it was written for: what somebody else has changed has none. Any
// thread.
class MetaFiles {
 public:
  static Result<MetaFiles> Open(Folder folder);
  MetaFiles(MetaFiles&& other) noexcept
      : folder_(std::move(other.folder_)), in_use_(other.in_use_.load()) {}

  // To a file that nobody else writes. Sets size, time and, when it has none, nothing else of
  // `meta`. What has to be synced beside the file itself.
  Result<std::vector<os::Fd>> Attach(int fd, ObjectMeta& meta);
  // Of any file; for one of somebody else's what can be seen from the outside.
  Result<ObjectMeta> Load(int fd) const;
  ObjectMeta Load(int fd, const struct stat& info) const;  // of one that was looked at just now
  // The file is going to be replaced or removed.
  void Forget(int fd);
  // Whether any file may have to be forgotten at all.
  bool in_use() const { return in_use_; }

 private:
  explicit MetaFiles(Folder folder) : folder_(std::move(folder)) {}
  Result<std::vector<os::Fd>> AttachBeside(const struct stat& info, const std::string& text);

  Folder folder_;
  std::atomic<bool> in_use_ = false;
};

}  // namespace muster::objects
