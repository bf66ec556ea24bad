// Garbage collection of code snapshots: trees by name, blobs by their link counts.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <set>

#include "store/code_files.h"
#include "store/code_store.h"

namespace muster::store {
namespace {

namespace fs = std::filesystem;

// A client asks for missing blobs, uploads them and submits; this is the time limit for all three.
constexpr int64_t kTreeRestMs = 10 * 60'000;
constexpr int64_t kUploadRestMs = int64_t(24) * 3'600'000;

int64_t ModifiedMs(const struct stat& info) {
  return int64_t(info.st_mtim.tv_sec) * 1000 + info.st_mtim.tv_nsec / 1'000'000;
}

std::vector<os::Path> Entries(const os::Path& folder) {
  std::vector<os::Path> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  return entries;
}

// The inodes of a tree's files, which it shares with the blobs.
void CollectInodes(const os::Path& tree, std::set<ino_t>& inodes) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(tree, error), end; !error && it != end;
       it.increment(error)) {
    struct stat info{};
    if (::lstat(it->path().c_str(), &info) == 0 && S_ISREG(info.st_mode))
      inodes.insert(info.st_ino);
  }
}

}  // namespace

bool CodeStore::Claim(const std::string& hash) const {
  const std::shared_lock lock(collecting_);
  if (!HasTree(hash)) return false;
  Touch(TreeDir(hash));
  return true;
}

Result<CodeStore::Freed> CodeStore::Collect(
    const std::function<Result<bool>(const std::string&)>& used, int64_t now_ms) {
  Freed freed;
  std::set<ino_t> released;
  for (const os::Path& tree : Entries(dir_)) {
    const std::string hash = tree.filename();
    if (!IsSha256(hash)) continue;
    const std::unique_lock lock(collecting_);  // per tree, so that other threads wait only briefly
    struct stat info{};
    if (::stat(tree.c_str(), &info) != 0 || now_ms - ModifiedMs(info) < kTreeRestMs) continue;
    MUSTER_ASSIGN(const bool in_use, used(hash));
    if (in_use) continue;
    CollectInodes(tree, released);
    // Renamed first: a tree with its final name is complete even if the server is killed now.
    const os::Path gone = TemporaryPath();
    if (::rename(tree.c_str(), gone.c_str()) != 0)
      return FailErrno(errno, "remove " + tree.string());
    MUSTER_TRY(os::RemoveTree(gone));
    ++freed.trees;
  }
  for (const os::Path& folder : Entries(dir_ / "blobs")) {
    const std::unique_lock lock(collecting_);
    for (const os::Path& blob : Entries(folder)) {
      struct stat info{};
      if (::lstat(blob.c_str(), &info) != 0 || info.st_nlink > 1) continue;
      const int64_t rest = released.contains(info.st_ino) ? kTreeRestMs : kUploadRestMs;
      if (now_ms - ModifiedMs(info) < rest || ::unlink(blob.c_str()) != 0) continue;
      ++freed.blobs;
      freed.bytes += info.st_size;
    }
  }
  return freed;
}

}  // namespace muster::store
