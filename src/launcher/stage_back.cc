#include "launcher/stage_back.h"

#include <optional>
#include <system_error>

#include "launcher/input_cache.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

// A placed input is the only entry in the folder of the input, or the folder itself.
std::optional<os::Path> OnlyFolderIn(const os::Path& folder) {
  std::error_code error;
  fs::directory_iterator it(folder, error), end;
  if (error || it == end || !it->is_directory(error) || it->is_symlink(error)) return std::nullopt;
  os::Path found = it->path();
  it.increment(error);
  return !error && it == end ? std::optional(found) : std::nullopt;
}

void GiveBack(const InputCache& cache, const std::string& key, const os::Path& folder) {
  if (!IsCacheKey(key) || cache.GiveBack(key, folder)) return;
  if (const auto named = OnlyFolderIn(folder)) cache.GiveBack(key, *named);
}

}  // namespace

Status StageBack(const os::Path& attempt_dir, const os::Path& data_dir) {
  const InputCache cache = InputCache::In(data_dir, 0);
  const os::Path inputs = attempt_dir / "inputs";
  std::error_code error;
  // Each file has the name of an input folder and contains the cache key.
  for (fs::directory_iterator it(attempt_dir / "staged", error), end; !error && it != end;
       it.increment(error)) {
    if (const auto key = os::ReadFile(it->path(), 4096))
      GiveBack(cache, *key, inputs / it->path().filename());
  }
  return os::RemoveTree(inputs);
}

}  // namespace muster::launcher
