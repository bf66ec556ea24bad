#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <string>

#include "os/file.h"

namespace muster::cli {

// A folder of a test's own, gone with it.
class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "muster-cli-XXXXXX").string();
    if (mkdtemp(name.data())) path_ = name;
    path_ = std::filesystem::canonical(path_);
  }
  ~TempDir() { (void)os::RemoveTree(path_); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const os::Path& path() const { return path_; }
  // Makes the folders on the way; the file's path.
  os::Path Write(const std::string& name, std::string_view content, mode_t mode = 0644) const {
    const os::Path file = path_ / name;
    (void)os::MakeDirs(file.parent_path());
    (void)os::WriteFileAtomic(file, content, mode, false);
    chmod(file.c_str(), mode);
    return file;
  }

 private:
  os::Path path_;
};

}  // namespace muster::cli
