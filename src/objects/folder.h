#pragma once

#include <string>
#include <string_view>

#include "os/fd.h"
#include "os/file.h"

namespace muster::objects {

// An open folder whose content is accessed by relative paths. Symbolic links are never followed, so
// nothing inside leads out of the folder.
class Folder {
 public:
  // The last component must not be a symbolic link either.
  static Result<Folder> Open(const os::Path& path);
  explicit Folder(os::Fd fd) : fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  // Error.sys contains errno. `path` has no empty, "." or ".." component.
  Result<os::Fd> Open(const std::string& path, int flags, mode_t mode = 0) const;
  Result<Folder> Sub(const std::string& path) const;                          // must exist
  Result<Folder> MakeSub(const std::string& name, mode_t mode = 0755) const;  // creates or opens it

 private:
  os::Fd fd_;
};

// ("a/b", "c") for "a/b/c"; ("", "c") for "c".
std::pair<std::string, std::string> SplitPath(std::string_view path);

}  // namespace muster::objects
