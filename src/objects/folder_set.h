#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <set>
#include <utility>
#include <vector>

#include "os/fd.h"

namespace muster::objects {

// The folders that a write of many objects changed, each once. Above a limit they are synced early,
// because descriptors are limited.
class FolderSet {
 public:
  void Add(os::Fd folder) {
    struct stat info{};
    if (::fstat(folder.get(), &info) == 0 && !known_.emplace(info.st_dev, info.st_ino).second) {
      // A later change of an added folder is covered by its sync, unless that has happened already.
      if (!synced_.contains({info.st_dev, info.st_ino})) return;
    }
    if (folders_.size() < kMostKept) {
      folders_.push_back(std::move(folder));
    } else {
      (void)::fsync(folder.get());
      synced_.emplace(info.st_dev, info.st_ino);
    }
  }
  std::vector<os::Fd> Take() { return std::move(folders_); }

 private:
  static constexpr size_t kMostKept = 64;
  std::vector<os::Fd> folders_;
  std::set<std::pair<dev_t, ino_t>> known_, synced_;
};

}  // namespace muster::objects
