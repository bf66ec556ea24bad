#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/thread_annotations.h"
#include "os/fd.h"
#include "os/file.h"

namespace muster::transfer {

// The folder below which copied files are put. Names come from servers: none leads out of it, by
// dots, by a slash or by a link that lies inside. Any thread.
class LocalTree {
 public:
  // A place for one file: its folder, open, and its name there.
  struct Place {
    std::shared_ptr<os::Fd> folder;  // shared by all files of the folder
    std::string leaf;
    os::Path path;  // for people
  };

  // The root is taken as it is named, links and all.
  explicit LocalTree(os::Path root) : root_(std::move(root)) {}

  // Makes the folders that are missing. kInvalid for a name that no file can have here: empty,
  // "." or ".." components, above 255 bytes each; kConflict where a link or a file is in the way.
  Result<Place> PlaceFor(std::string_view name) EXCLUDES(mutex_);
  // The same for a name that ends with '/': the folder alone.
  Status MakeFolder(std::string_view name) EXCLUDES(mutex_);
  const os::Path& root() const { return root_; }

 private:
  Result<std::shared_ptr<os::Fd>> FolderFor(const std::string& name) EXCLUDES(mutex_);

  const os::Path root_;
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<os::Fd>> folders_ GUARDED_BY(mutex_);
};

// kInvalid unless every component of the name can be one of a path below a folder.
Status CheckFileName(std::string_view name);

}  // namespace muster::transfer
