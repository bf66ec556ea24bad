#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace muster::cli {

// Sums the sizes of files per folder of a tree, to name the largest folders.
class FolderSizes {
 public:
  // `path` of a file relative to the tree, with '/' between components.
  void Add(std::string_view path, int64_t bytes);

  // "data/raw 1.2 GiB, runs 300 MiB": at most `count` folders, none inside another, each the
  // deepest folder that contains nearly all of its parent.
  std::string Largest(size_t count) const;

 private:
  struct Folder {
    int64_t bytes = 0;
    std::map<std::string, Folder, std::less<>> folders;
  };
  Folder root_;
  int64_t loose_ = 0;  // bytes of files in the root
};

}  // namespace muster::cli
