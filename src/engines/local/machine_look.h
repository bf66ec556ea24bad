#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <ctime>
#include <tuple>

#include "os/fd.h"

namespace muster::engines {

// Notices when the machine gets other mounts, or another hosts file. Virtual nodes have a hosts
// file with the machine's own in it, and mounts of their own: what changed since they were made is
// missed there.
class MachineLook {
 public:
  MachineLook();
  bool Changed();  // since the last look

 private:
  using HostsFile = std::tuple<ino_t, off_t, time_t, long>;
  os::Fd mounts_;
  HostsFile hosts_;
};

}  // namespace muster::engines
