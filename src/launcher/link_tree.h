#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "launcher/cache_plan.h"
#include "os/file.h"

namespace muster::launcher {

// Gives a job the files of a cache entry in folders of its own: by hard links, so that ten thousand
// files take little time and no space; by copies where links are impossible. Existing files are
// kept. kCorrupt if a file of the entry is missing.
Status LinkTree(const os::Path& data, std::span<const CachedFile> files, const os::Path& to);

// As LinkTree, for an entry of one file, which becomes `to`, or is placed in `to` if that is a
// folder.
Status LinkFile(const os::Path& data, const CachedFile& file, const os::Path& to);

}  // namespace muster::launcher
