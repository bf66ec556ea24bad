#pragma once

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

// What this machine allows with control groups, found out without os/cgroup.cc: a test that skips
// because the code under test says that there are none would never fail.
namespace muster::os {

struct CgroupProbe {
  bool makes_groups = false;   // in a hierarchy that Muster uses
  bool limits_memory = false;  // the kernel takes a limit for a group below "muster"
};

namespace probe {

inline bool WriteText(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text << std::flush;
  return out.good();
}

// A group as a server makes it: two levels below a place that is mounted or is the caller's own.
inline CgroupProbe TryFolder(const std::string& base, bool unified) {
  CgroupProbe found;
  const std::string parent = base + "/muster";
  (void)::mkdir(parent.c_str(), 0755);
  if (unified)
    for (const std::string& above : {base, parent})
      (void)WriteText(above + "/cgroup.subtree_control", "+memory");
  std::string group = parent + "/probe-XXXXXX";
  if (::mkdtemp(group.data()) == nullptr) return found;
  const bool reachable = !unified || ::access((base + "/cgroup.procs").c_str(), W_OK) == 0;
  found.makes_groups = reachable && ::access((group + "/cgroup.procs").c_str(), W_OK) == 0;
  const char* const file = unified ? "/memory.max" : "/memory.limit_in_bytes";
  found.limits_memory = found.makes_groups && ::access((group + file).c_str(), W_OK) == 0 &&
                        WriteText(group + file, "67108864");
  (void)::rmdir(group.c_str());
  return found;
}

}  // namespace probe

inline CgroupProbe ProbeCgroups() {
  CgroupProbe all;
  const auto add = [&](const CgroupProbe& one) {
    all.makes_groups |= one.makes_groups;
    all.limits_memory |= one.limits_memory;
  };
  std::ifstream mounts("/proc/self/mounts");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string device, point, type, options;
    words >> device >> point >> type >> options;
    const std::string listed = "," + options + ",";
    const bool used =
        listed.contains(",memory,") || listed.contains(",pids,") || listed.contains(",freezer,");
    if (type == "cgroup2" || (type == "cgroup" && used))
      add(probe::TryFolder(point, type == "cgroup2"));
  }
  return all;
}

}  // namespace muster::os
