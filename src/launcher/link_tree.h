#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "launcher/cache_plan.h"
#include "os/file.h"

namespace muster::launcher {

// Gives a job files of a cache entry under names of its own: by hard links, so that ten thousand
// take a moment and no space, and the folders are the job's to write into; by copies where links
// are not possible. What is there already stays. kCorrupt when a file of the entry is gone.
Status LinkTree(const os::Path& data, std::span<const CachedFile> files, const os::Path& to);

// The same for an entry of one file, which becomes `to`, or lies in `to` when that is a folder.
Status LinkFile(const os::Path& data, const CachedFile& file, const os::Path& to);

}  // namespace muster::launcher
