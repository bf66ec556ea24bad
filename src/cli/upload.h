#pragma once

#include <string>

#include "base/result.h"
#include "cli/api.h"
#include "cli/snapshot.h"

namespace muster::cli {

struct Uploaded {
  std::string hash;      // names the snapshot for good
  size_t new_files = 0;  // contents the server did not have
};

// Brings a hashed snapshot to the server: the list first, then only the contents it lacks.
// kConflict names a file that changed since it was hashed.
Result<Uploaded> UploadCode(Api& api, const Snapshot& snapshot);

}  // namespace muster::cli
