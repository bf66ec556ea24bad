#include "lifecycle/own_module.h"

#include <algorithm>
#include <filesystem>

namespace muster::lifecycle {

namespace {

constexpr int kMostEntries = 20'000;

}  // namespace

std::string FindModule(const os::Path& tree, const std::string& module) {
  namespace fs = std::filesystem;
  std::string best;
  int looked_at = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it(tree, error), end;
       !error && it != end && looked_at < kMostEntries; it.increment(error), ++looked_at) {
    std::error_code gone;
    const fs::path name = it->path().filename();
    const bool matches = it->is_directory(gone) ? name == module : name == module + ".py";
    if (!matches) continue;
    const std::string path = it->path().lexically_relative(tree).string();
    const auto depth = [](const std::string& text) { return std::ranges::count(text, '/'); };
    if (best.empty() || depth(path) < depth(best)) best = path;
  }
  return best;
}

}  // namespace muster::lifecycle
