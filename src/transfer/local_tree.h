#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/thread_annotations.h"
#include "os/fd.h"
#include "os/file.h"

namespace muster::transfer {

// The folder that receives copied files. File names come from servers: no name leaves the folder,
// by dots, by a slash, or by a symbolic link inside. Any thread.
class LocalTree {
 public:
  // The destination of one file: its open folder and its name there.
  struct Place {
    std::shared_ptr<os::Fd> folder;  // shared by all files of the folder
    std::string leaf;
    os::Path path;  // for messages
  };

  // The path of the root may contain symbolic links.
  explicit LocalTree(os::Path root) : root_(std::move(root)) {}

  // Creates missing folders. kInvalid for names that are not possible here: empty, "." or ".."
  // components, or components above 255 bytes. kConflict if a link or a file has the name of a
  // folder.
  Result<Place> PlaceFor(std::string_view name) EXCLUDES(mutex_);
  // As PlaceFor, for a name that ends with '/': creates the folder only.
  Status MakeFolder(std::string_view name) EXCLUDES(mutex_);
  const os::Path& root() const { return root_; }

 private:
  Result<std::shared_ptr<os::Fd>> FolderFor(const std::string& name) EXCLUDES(mutex_);

  const os::Path root_;
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<os::Fd>> folders_ GUARDED_BY(mutex_);
};

// kInvalid unless every component of the name is valid below a folder.
Status CheckFileName(std::string_view name);

}  // namespace muster::transfer
