#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "launcher/cache_plan.h"
#include "launcher/spare_tree.h"
#include "model/staging.h"
#include "os/fd.h"
#include "os/file.h"

namespace muster::launcher {

// The cache of fetched inputs on this machine, shared by all jobs of a server: cache/inputs in its
// data directory. docs/formats/input_cache.md describes the files. Locks end with their process, so
// that a kill needs no repair.
class InputCache {
 public:
  // `limit` in bytes; 0 means a fifth of the disk.
  InputCache(os::Path root, int64_t limit);
  static InputCache In(const os::Path& data_dir, int64_t limit);
  static InputCache Of(const Staging& staging) { return In(staging.data_dir, staging.cache_limit); }

  // The entry is not evicted while the descriptor exists.
  Result<os::Fd> Use(const std::string& key) const;
  // The holder may create or remove the entry. Waits for other holders and calls `waiting` a few
  // times per second.
  Result<os::Fd> LockToFetch(const std::string& key, const std::function<void()>& waiting) const;

  // The files of a complete entry. kNotFound if there is none; kCorrupt if a file changed since the
  // entry was sealed.
  Result<std::vector<CachedFile>> Look(const std::string& key) const;
  os::Path Data(const std::string& key) const { return root_ / key / "data"; }
  SpareTree Spare(const std::string& key) const { return SpareTree(root_ / key); }
  EntrySize SizeOf(const std::string& key) const;
  // Returns the links of an ended job at `tree`: they are kept as the spare tree, or stay in place.
  // Returns whether they were kept.
  bool GiveBack(const std::string& key, const os::Path& tree) const;

  // Under the fetch lock: the folder that receives the files, and the step that makes it an entry.
  os::Path Part(const std::string& key) const { return root_ / (key + ".part"); }
  Status Seal(const std::string& key) const;
  Status Discard(const std::string& key) const;  // removes the entry and its partial download
  os::Path Records() const { return root_ / "records"; }

  // The entry of a source with a certain stamp, so that the source need not be listed.
  std::optional<KnownSource> Recall(const std::string& source) const;
  void Remember(const std::string& source, const KnownSource& known) const;

  // Evicts entries above the limit, given the bytes to come, and partial downloads that are older
  // than a week. Returns the keys of evicted entries.
  std::vector<std::string> Evict(int64_t now_wall_ms, int64_t coming = 0) const;

 private:
  std::vector<CacheEntry> Entries() const;
  Result<std::vector<CachedFile>> ReadList(const std::string& key) const;
  Result<os::Fd> OpenLock(const std::string& name) const;
  bool RemoveIfUnused(const std::string& key) const;
  void RemoveForgotten(int64_t now_wall_ms) const;
  Status SetAside(const std::string& name, std::vector<os::Path>& aside) const;

  const os::Path root_;
  const int64_t limit_;
};

}  // namespace muster::launcher
