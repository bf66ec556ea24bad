#include "objects/bucket_rest.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::objects {
namespace {

struct Rest {
  std::vector<os::Path> folders;  // outer folders first
  std::vector<os::Path> others;
};

Rest ReadRest(const os::Path& bucket) {
  Rest rest;
  std::error_code error;
  std::filesystem::recursive_directory_iterator at(bucket, error);
  for (; !error && at != std::filesystem::end(at); at.increment(error)) {
    std::error_code unknown;
    const bool folder = at->symlink_status(unknown).type() == std::filesystem::file_type::directory;
    (folder ? rest.folders : rest.others).push_back(at->path());
  }
  return rest;
}

}  // namespace

void RemoveEmptyFolders(const os::Path& bucket) {
  const Rest rest = ReadRest(bucket);
  for (auto it = rest.folders.rbegin(); it != rest.folders.rend(); ++it) ::rmdir(it->c_str());
}

std::string WhatIsLeft(const os::Path& bucket) {
  const Rest rest = ReadRest(bucket);
  const auto& left = rest.others.empty() ? rest.folders : rest.others;
  if (left.empty()) return "The bucket's folder is not empty.";
  const os::Path name = std::ranges::min(left).lexically_relative(bucket);
  return fmt::format(
      "The bucket has no objects, but \"{}\" is in its folder and is none. Remove that by hand, "
      "then the bucket.",
      Printable(name.string()));
}

}  // namespace muster::objects
