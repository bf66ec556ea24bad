#pragma once

#include <span>

#include "base/result.h"
#include "launcher/cache_plan.h"
#include "os/fd.h"
#include "os/file.h"

namespace muster::launcher {

// The links of an entry that a job has given back, ready for the next one: one rename in place of a
// link for every file. It is <entry>/spare-BOOT, and it is there only while no job has a name for
// any file of the entry, so that what was found when it came back is still true when it goes:
//   - it is kept when every file in it is the entry's own, unchanged, with no third name;
//   - whoever makes links of the entry takes it away first.
// It is good for the boot that it was made in, since nothing here is synced.
class SpareTree {
 public:
  explicit SpareTree(os::Path entry) : entry_(std::move(entry)) {}

  // Held while links of the entry are made, or given back: those two never overlap. kNotFound when
  // there is no entry.
  Result<os::Fd> Lock() const;

  // Under the lock. Moves the spare to `to`, whose parent folder exists. An empty folder at `to`
  // stays the same folder (a view may have it mounted) and receives the content of the spare.
  // Returns whether the spare existed and could be moved. No spare is left either way.
  bool Take(const os::Path& to) const;
  // Under the lock. Takes back what a job had at `tree`, when `files`, which the entry was sealed
  // with, are still all that is in it. Whether it did; otherwise `tree` stays where it is.
  bool Keep(const os::Path& tree, std::span<const CachedFile> files) const;
  // Under the lock. Before links are made one by one.
  void Drop() const;

 private:
  const os::Path entry_;
};

}  // namespace muster::launcher
