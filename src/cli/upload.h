#pragma once

#include <string>

#include "base/result.h"
#include "cli/api.h"
#include "cli/snapshot.h"

namespace muster::cli {

struct Uploaded {
  std::string hash;      // identifies the snapshot
  size_t new_files = 0;  // contents that the server lacked
};

// Uploads a hashed snapshot: first the manifest, then the contents that the server lacks. kConflict
// names a file that changed since it was hashed.
Result<Uploaded> UploadCode(Api& api, const Snapshot& snapshot);

}  // namespace muster::cli
