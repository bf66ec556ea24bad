#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace muster::cli {

// Adds up how much stands under each folder of a tree, to name the largest ones.
class FolderSizes {
 public:
  // `path` of a file relative to the tree, '/' between its parts.
  void Add(std::string_view path, int64_t bytes);

  // "data/raw 1.2 GiB, runs 300 MiB": at most `count` folders, none inside another, each as deep as
  // still holds nearly all of its parent.
  std::string Largest(size_t count) const;

 private:
  struct Folder {
    int64_t bytes = 0;
    std::map<std::string, Folder, std::less<>> folders;
  };
  Folder root_;
  int64_t loose_ = 0;  // files of the root itself
};

}  // namespace muster::cli
