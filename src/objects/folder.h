#pragma once

#include <string>
#include <string_view>

#include "os/fd.h"
#include "os/file.h"

namespace muster::objects {

// An open folder whose contents are reached by relative paths. No link is ever followed, so nothing
// that stands in it, whoever put it there, leads out of it.
class Folder {
 public:
  static Result<Folder> Open(const os::Path& path);  // the last component must be no link either
  explicit Folder(os::Fd fd) : fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  // Error.sys has the errno. `path` has no empty, "." or ".." component.
  Result<os::Fd> Open(const std::string& path, int flags, mode_t mode = 0) const;
  Result<Folder> Sub(const std::string& path) const;                          // one that exists
  Result<Folder> MakeSub(const std::string& name, mode_t mode = 0755) const;  // or finds it

 private:
  os::Fd fd_;
};

// "a/b/c" is "a/b" and "c"; "c" is "" and "c".
std::pair<std::string, std::string> SplitPath(std::string_view path);

}  // namespace muster::objects
