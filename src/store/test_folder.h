#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "os/file.h"

namespace muster::store {

// A folder for one test, gone with it.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "muster-store-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  os::Path operator/(const std::string& name) const { return path_ / name; }
  const os::Path& path() const { return path_; }

 private:
  os::Path path_;
};

}  // namespace muster::store
