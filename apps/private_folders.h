#pragma once

#include "base/result.h"
#include "os/file.h"

namespace muster::apps {

// Makes the folders of the data directory that hold what users sent (code, jobs, buckets, fetched
// inputs), readable by their owner alone. Takes the rights of other users away from folders that
// are there, since the data directory itself may be open to them. The rights of the group stay.
Status MakePrivateFolders(const os::Path& data);

}  // namespace muster::apps
