#include "dialect/devices.h"

#include <algorithm>

#include <fmt/format.h>

#include "dialect/environment.h"

namespace muster::dialect {

namespace {

// Ascending without blanks: the Ascend runtime stops reading at anything else.
std::string Numbers(const NodeShare& share) {
  std::vector<int> devices = share.devices;
  std::sort(devices.begin(), devices.end());
  return fmt::format("{}", fmt::join(devices, ","));
}

}  // namespace

void SetDeviceEnv(const NodeShare& share, Pairs& env) {
  SetEnv(env, "MUSTER_DEVICE_KIND", share.kind);
  SetEnv(env, "MUSTER_DEVICES", Numbers(share));
  if (share.kind == "gpu") {
    SetEnv(env, "CUDA_DEVICE_ORDER", "PCI_BUS_ID");  // numbers as the system counts, not by speed
    SetEnv(env, "CUDA_VISIBLE_DEVICES", Numbers(share));
  } else if (share.kind == "npu") {
    SetEnv(env, "ASCEND_RT_VISIBLE_DEVICES", Numbers(share));
  }
}

void SetOwnDevice(const NodeShare& share, int local_rank, Pairs& env) {
  if (share.kind != "npu" || share.devices.empty()) return;
  // An index into the visible ones, not a number of the machine.
  SetEnv(env, "ASCEND_DEVICE_ID", std::to_string(local_rank % int(share.devices.size())));
}

}  // namespace muster::dialect
