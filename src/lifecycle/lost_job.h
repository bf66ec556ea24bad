#pragma once

#include "os/file.h"

namespace muster::lifecycle {

// Tells the launchers of a job that the journal has lost to stop its ranks. The folder stays.
void StopLostJob(const os::Path& job_dir);

}  // namespace muster::lifecycle
