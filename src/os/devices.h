#pragma once

#include <string>
#include <vector>

#include "os/file.h"

namespace muster::os {

// An accelerator of this machine, found without a vendor library.
struct Device {
  std::string kind;   // "gpu" or "npu"
  int index = 0;      // N of /dev/nvidiaN or /dev/davinciN
  std::string model;  // "NVIDIA H200"; empty if unknown
  std::string uuid;   // "GPU-…"; empty if unknown
};

// NVIDIA devices from /proc/driver/nvidia/gpus/*/information, Ascend devices from /dev/davinci<N>;
// sorted by kind and index. `root` differs from "/" in tests only.
std::vector<Device> FindDevices(const Path& root = "/");

// The number of CPUs that this process may use.
int CpuCount();
int64_t MemoryTotal();
// The memory that this process and its children may use: all, or the limit of the container.
int64_t MemoryLimit(const Path& root = "/");

}  // namespace muster::os
