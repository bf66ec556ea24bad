#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "os/file.h"

namespace muster::os {

// A mounted hierarchy of control groups that Muster can use.
struct CgroupMount {
  bool unified = false;  // version 2
  Path root;             // mount point
  Path own;              // the folder of the caller's group
  bool counts_memory = false;
};

// Parses /proc/self/mountinfo and /proc/self/cgroup: version 2, and memory, pids and freezer of
// version 1. Each hierarchy once.
std::vector<CgroupMount> ParseCgroupMounts(std::string_view mountinfo, std::string_view cgroup);

// The hierarchies of this process; empty if there are none. Cached, because hierarchies are mounted
// at boot and every job needs them several times.
const std::vector<CgroupMount>& FindCgroupMounts();

}  // namespace muster::os
