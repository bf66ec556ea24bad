#pragma once

#include <memory>

#include "base/thread_annotations.h"
#include "objects/folder.h"

namespace muster::objects {

// Where files are written before they have their place. ext4 puts a file's inode beside its
// folder's and passes over those that were freed in the last minutes one by one, so that one folder
// for all makes every upload slow after a bucket was emptied. Each folder here serves some hundred
// files, the next one lies elsewhere on the disk. Any thread.
class TempFolders {
 public:
  // `parent` is the store's own; what is in it was left by a server that was killed.
  static Result<std::unique_ptr<TempFolders>> Open(Folder parent, const os::Path& path);

  // For one file, which holds it. A folder is removed when nobody holds it any more.
  Result<std::shared_ptr<const Folder>> ForOneFile();

 private:
  explicit TempFolders(Folder parent) : parent_(std::make_shared<Folder>(std::move(parent))) {}
  Result<std::shared_ptr<const Folder>> MakeOne() const;

  const std::shared_ptr<const Folder> parent_;
  Mutex mutex_;
  std::shared_ptr<const Folder> current_ GUARDED_BY(mutex_);
  int files_ GUARDED_BY(mutex_) = 0;  // that the current one was given to
};

// Lets ext4 put the folders in it into block groups of their own. Other file systems have no such
// flag and need none.
void SpreadFolders(int folder);

}  // namespace muster::objects
