#pragma once

#include <sys/stat.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "os/file.h"

namespace muster::os {

// For tests: a new folder that is removed with its content.
class TempDir {
 public:
  TempDir() {
    const char* base = std::getenv("TMPDIR");
    std::string name = std::string(base != nullptr ? base : "/tmp") + "/muster-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = std::filesystem::canonical(name);
  }
  ~TempDir() { (void)RemoveTree(path_); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const Path& path() const { return path_; }
  Path operator/(const Path& name) const { return path_ / name; }

  // Creates parent folders and the file; returns its path.
  Path Write(const Path& name, std::string_view content, mode_t mode = 0644) const {
    Path file = path_ / name;
    if (!MakeDirs(file.parent_path()) || !WriteFileAtomic(file, content, mode, false)) std::abort();
    ::chmod(file.c_str(), mode);  // independent of the umask
    return file;
  }

 private:
  Path path_;
};

}  // namespace muster::os
