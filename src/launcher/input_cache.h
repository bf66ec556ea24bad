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

// Fetched inputs on this machine, shared by all jobs of a server: cache/inputs in its data
// directory.
//   <key>/data     the files, whole; there by a rename or not at all
//   <key>/files    what they were like when they came
//   <key>/bytes    how much they are
//   <key>/spare-…  links to them that a job has given back (spare_tree.h)
//   <key>.part/    on its way; goes on after a kill
//   <key>.fetch    locked while somebody brings it or takes it away
//   <hash>.stamp   which entry a source was when it had a certain stamp
//   <key>.use      locked, by many, while jobs use it; its time is that of the last use
// Locks end with their process, so that nothing has to be mended after a kill.
class InputCache {
 public:
  // `limit` in bytes; 0: a fifth of the disk.
  InputCache(os::Path root, int64_t limit);
  static InputCache In(const os::Path& data_dir, int64_t limit);
  static InputCache Of(const Staging& staging) { return In(staging.data_dir, staging.cache_limit); }

  // The entry is not evicted while the descriptor lives.
  Result<os::Fd> Use(const std::string& key) const;
  // Whoever holds it may make or remove the entry. Waits for others; `waiting` is called a few
  // times a second meanwhile.
  Result<os::Fd> LockToFetch(const std::string& key, const std::function<void()>& waiting) const;

  // The files of a whole entry. kNotFound when there is none, kCorrupt when it is not as it was
  // sealed: somebody wrote into it.
  Result<std::vector<CachedFile>> Look(const std::string& key) const;
  os::Path Data(const std::string& key) const { return root_ / key / "data"; }
  SpareTree Spare(const std::string& key) const { return SpareTree(root_ / key); }
  EntrySize SizeOf(const std::string& key) const;
  // A job is through with what it had of an entry at `tree`: it is kept as a spare, or stays where
  // it is. Whether it was kept.
  bool GiveBack(const std::string& key, const os::Path& tree) const;

  // Under the lock to fetch: where the files are put, and what makes an entry of them.
  os::Path Part(const std::string& key) const { return root_ / (key + ".part"); }
  Status Seal(const std::string& key) const;
  Status Discard(const std::string& key) const;  // entry and part
  os::Path Records() const { return root_ / "records"; }

  // What a source was when it had a certain stamp, so that it need not be listed while it has it.
  std::optional<KnownSource> Recall(const std::string& source) const;
  void Remember(const std::string& source, const KnownSource& known) const;

  // Removes what the limit does not allow when so many bytes are to come, and parts that nobody
  // came back for in a week; the keys of entries that went.
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
