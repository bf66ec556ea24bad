#pragma once

#include <sys/types.h>

#include <utility>
#include <vector>

#include "base/result.h"
#include "os/file.h"

namespace muster::os {

// Which file a path or a descriptor stands for.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};
Result<FileIdentity> IdentityOf(const Path& path);
Result<FileIdentity> IdentityOf(int fd);

// Notices that a path stands for another file than it did, or for none: what is written into the
// open file then is lost with it. One `stat` for each file and check.
class FileGuard {
 public:
  void Add(Path path, FileIdentity identity) { files_.emplace_back(std::move(path), identity); }
  // kIo names the first file that was removed or replaced.
  Status Check() const;

 private:
  std::vector<std::pair<Path, FileIdentity>> files_;
};

}  // namespace muster::os
