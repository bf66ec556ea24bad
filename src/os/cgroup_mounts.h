#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "os/file.h"

namespace muster::os {

// One mounted hierarchy of control groups that is of use to us.
struct CgroupMount {
  bool unified = false;  // version 2
  Path root;             // where it is mounted
  Path own;              // the folder of the caller's own group
  bool counts_memory = false;
};

// From the texts of /proc/self/mountinfo and /proc/self/cgroup: version 2 and, of version 1,
// memory, pids and freezer. Each hierarchy once.
std::vector<CgroupMount> ParseCgroupMounts(std::string_view mountinfo, std::string_view cgroup);

// The same of this process; empty where there is none. Looked up once: hierarchies are mounted when
// a machine starts, and every job asks several times.
const std::vector<CgroupMount>& FindCgroupMounts();

}  // namespace muster::os
