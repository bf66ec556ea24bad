#include "dialect/devices.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dialect/environment.h"

namespace muster::dialect {

namespace {

// Device kinds and the variable that selects the visible devices.
struct Visible {
  std::string_view kind;
  const char* variable;
};
constexpr std::array<Visible, 10> kVisible{{{"gpu", "CUDA_VISIBLE_DEVICES"},
                                            {"npu", "ASCEND_RT_VISIBLE_DEVICES"},
                                            {"xpu", "XPU_VISIBLE_DEVICES"},
                                            {"dcu", "HIP_VISIBLE_DEVICES"},
                                            {"rocm", "HIP_VISIBLE_DEVICES"},
                                            {"mlu", "MLU_VISIBLE_DEVICES"},
                                            {"gcu", "TOPS_VISIBLE_DEVICES"},
                                            {"musa", "MUSA_VISIBLE_DEVICES"},
                                            {"hpu", "HABANA_VISIBLE_MODULES"},
                                            {"iluvatar", "CUDA_VISIBLE_DEVICES"}}};

// HCCL uses 32 ports from a base that is by default the same for all jobs and inside the kernel's
// ephemeral range. Each device of a machine gets a separate range above it, so that two jobs do not
// conflict.
constexpr int kHcclBase = 61'000;
constexpr int kHcclPorts = 32;
constexpr int kLastHcclBase = 65'520;

}  // namespace

void SetHcclPorts(const NodeShare& share, int processes, Pairs& env) {
  if (share.kind != "npu" || share.devices.empty()) return;
  const int base = kHcclBase + kHcclPorts * std::ranges::min(share.devices);
  if (base <= kLastHcclBase) SetEnvDefault(env, "HCCL_IF_BASE_PORT", base);
  if (processes <= int(share.devices.size())) return;
  // Processes that share a device would open the same port.
  for (const char* name : {"HCCL_HOST_SOCKET_PORT_RANGE", "HCCL_NPU_SOCKET_PORT_RANGE"}) {
    SetEnvDefault(env, name, std::string("auto"));
  }
}

// Without blanks, because the Ascend runtime stops parsing at any other character.
std::string DeviceNumbers(const NodeShare& share) {
  std::vector<int> devices = share.devices;
  std::sort(devices.begin(), devices.end());
  return fmt::format("{}", fmt::join(devices, ","));
}

void SetDeviceEnv(const NodeShare& share, Pairs& env) {
  const std::string numbers = DeviceNumbers(share);
  SetEnv(env, "MUSTER_DEVICE_KIND", share.kind);
  SetEnv(env, "MUSTER_DEVICES", numbers);
  const auto row = std::ranges::find(kVisible, share.kind, &Visible::kind);
  if (row == kVisible.end()) return;
  // Numbers in PCI order rather than by speed.
  if (share.kind == "gpu") SetEnv(env, "CUDA_DEVICE_ORDER", "PCI_BUS_ID");
  SetEnv(env, row->variable, numbers);
}

int DeviceIndex(const RankFacts& rank) {
  const size_t count = rank.share->devices.size();
  return count == 0 || rank.share->kind == "cpu" ? -1 : rank.local_rank % int(count);
}

void SetOwnDevice(const NodeShare& share, const RankFacts& rank, const NodeOrder& order,
                  Pairs& env) {
  if (share.kind != "npu" || share.devices.empty()) return;
  // An index into the visible devices rather than a number of the machine.
  env.emplace_back("ASCEND_DEVICE_ID", std::to_string(DeviceIndex(rank)));
  env.emplace_back("ASCEND_PROCESS_LOG_PATH",
                   fmt::format("{}/ascend/rank{}", order.dir, rank.rank));
}

}  // namespace muster::dialect
