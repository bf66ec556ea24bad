#pragma once

#include <string>
#include <vector>

#include "os/file.h"

namespace muster::os {

// One accelerator that this machine has, found without any vendor's library.
struct Device {
  std::string kind;   // "gpu" or "npu"
  int index = 0;      // N of /dev/nvidiaN or /dev/davinciN
  std::string model;  // "NVIDIA H200", empty when unknown
  std::string uuid;   // "GPU-…", empty when unknown
};

// NVIDIA from /proc/driver/nvidia/gpus/*/information, Ascend from /dev/davinci<N>; sorted by kind
// and index. `root` is "/" but in tests.
std::vector<Device> FindDevices(const Path& root = "/");

// CPUs this process may run on.
int CpuCount();
int64_t MemoryTotal();
// The memory that this process and its children may use: all, or the limit of the container.
int64_t MemoryLimit(const Path& root = "/");

}  // namespace muster::os
