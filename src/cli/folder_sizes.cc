#include "cli/folder_sizes.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::cli {

void FolderSizes::Add(std::string_view path, int64_t bytes) {
  if (path.find('/') == std::string_view::npos) loose_ += bytes;
  Folder* folder = &root_;
  for (size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/')) {
    folder = &folder->folders[std::string(path.substr(0, slash))];
    folder->bytes += bytes;
    path.remove_prefix(slash + 1);
  }
}

std::string FolderSizes::Largest(size_t count) const {
  std::vector<std::pair<int64_t, std::string>> found;
  if (loose_ > 0) found.emplace_back(loose_, "files outside of folders");
  for (const auto& [name, top] : root_.folders) {
    std::string path = name;
    const Folder* folder = &top;
    for (bool deeper = true; deeper;) {
      deeper = false;
      for (const auto& [inner_name, inner] : folder->folders) {
        if (inner.bytes * 10 < folder->bytes * 9) continue;
        path += "/" + inner_name;
        folder = &inner;
        deeper = true;
        break;
      }
    }
    found.emplace_back(folder->bytes, Printable(path) + "/");
  }
  std::ranges::sort(found, std::greater<>());
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(count, found.size()); ++i)
    texts.push_back(fmt::format("{} {}", found[i].second, HumanSize(found[i].first)));
  return Join(texts, ", ");
}

}  // namespace muster::cli
