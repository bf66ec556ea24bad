#pragma once

#include <sys/stat.h>

#include <atomic>
#include <string>
#include <vector>

#include "objects/folder.h"
#include "objects/object_meta.h"

namespace muster::objects {

// Stores the metadata of a file: in its extended attribute "user.muster", which moves and
// disappears with the file, or, if that is too small or unsupported, in a separate file named by
// inode, time and size. Metadata is valid only while the file has the recorded time and size: a
// file changed by another program has none. Any thread.
class MetaFiles {
 public:
  static Result<MetaFiles> Open(Folder folder);
  MetaFiles(MetaFiles&& other) noexcept
      : folder_(std::move(other.folder_)), in_use_(other.in_use_.load()) {}

  // For a file that no other thread writes. Sets size, time and, if empty, ETag of `meta`. Returns
  // additional files to sync.
  Result<std::vector<os::Fd>> Attach(int fd, ObjectMeta& meta);
  // For any file; for a foreign file the metadata derived from stat.
  Result<ObjectMeta> Load(int fd) const;
  ObjectMeta Load(int fd, const struct stat& info) const;  // for a file with a recent stat
  // The file will be replaced or removed.
  void Forget(int fd);
  // Whether separate metadata files may exist.
  bool in_use() const { return in_use_; }

 private:
  explicit MetaFiles(Folder folder) : folder_(std::move(folder)) {}
  Result<std::vector<os::Fd>> AttachBeside(const struct stat& info, const std::string& text);

  Folder folder_;
  std::atomic<bool> in_use_ = false;
};

}  // namespace muster::objects
