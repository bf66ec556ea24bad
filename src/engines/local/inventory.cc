#include "engines/local/inventory.h"

#include <fmt/format.h>

#include "base/text.h"
#include "os/net.h"

namespace muster::engines {
namespace {

constexpr int kMostNodes = 4096;
constexpr int kMostDevices = 1024;

std::unexpected<Error> BadNodes(std::string_view text, std::string_view part,
                                std::string_view why) {
  return Fail(Code::kInvalid, fmt::format("--nodes {}: \"{}\" {}", text, part, why),
              "write COUNTxNUMBERKIND, for example 4x8npu or 2x8npu,1x2gpu+4cpu");
}

bool IsKind(std::string_view kind) {
  if (kind.empty() || kind.size() > 32) return false;
  for (char c : kind)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_')) return false;
  return kind[0] >= 'a' && kind[0] <= 'z';
}

// "8npu" -> 8, "npu"
std::optional<std::pair<int, std::string>> ParseCount(std::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  const auto count = ParseInt(text.substr(0, digits));
  const std::string kind = Lower(text.substr(digits));
  if (!count || *count < 1 || *count > kMostDevices || !IsKind(kind)) return std::nullopt;
  return std::pair(int(*count), kind);
}

}  // namespace

Machine FindMachine() {
  return {.name = os::HostName(),
          .cpus = os::CpuCount(),
          .devices = os::FindDevices(),
          .declared = {},
          .memory = MemoryForJobs(os::MemoryLimit())};
}

int64_t MemoryForJobs(int64_t total) {
  constexpr int64_t kLeastReserve = 512 << 20;
  constexpr int64_t kLeast = 1 << 20;
  return std::max(kLeast, total - std::max(total / 20, kLeastReserve));
}

void ShareMemory(const Machine& machine, std::vector<NodeInfo>& nodes) {
  for (NodeInfo& node : nodes) {
    node.machine = machine.name.empty() ? "localhost" : machine.name;
    node.memory = machine.memory;
  }
}

NodeInfo RealNode(const Machine& machine) {
  NodeInfo node;
  node.name = machine.name.empty() ? "localhost" : machine.name;
  node.address = "127.0.0.1";
  node.devices["cpu"] = machine.cpus;
  for (const auto& device : machine.devices) {
    ++node.devices[device.kind];
    if (!device.model.empty()) node.models[device.kind] = device.model;
  }
  for (const auto& [kind, count] : machine.declared) node.devices[kind] = count;
  return node;
}

Result<std::vector<NodeInfo>> ParseVirtualNodes(std::string_view text, int cpus) {
  std::vector<NodeInfo> nodes;
  for (const std::string& part : Split(text, ',')) {
    const size_t cross = part.find_first_of("xX");
    if (cross == std::string::npos)
      return BadNodes(text, part, "has no x between count and devices");
    const auto count = ParseInt(std::string_view(part).substr(0, cross));
    if (!count || *count < 1 || *count > kMostNodes)
      return BadNodes(text, part, fmt::format("must start with 1 to {} nodes", kMostNodes));
    NodeInfo model;
    model.is_virtual = true;
    model.devices["cpu"] = cpus;
    for (const std::string& item : Split(std::string_view(part).substr(cross + 1), '+')) {
      const auto devices = ParseCount(item);
      if (!devices)
        return BadNodes(text, part,
                        fmt::format("names no devices such as 8npu (1 to {})", kMostDevices));
      model.devices[devices->second] = devices->first;
    }
    if (nodes.size() + size_t(*count) > kMostNodes)
      return BadNodes(text, part, fmt::format("goes beyond {} nodes in all", kMostNodes));
    for (int i = 0; i < *count; ++i) {
      const int k = int(nodes.size());
      model.name = fmt::format("node-{}", k);
      model.address = fmt::format("127.77.{}.{}", k / 250, k % 250 + 1);
      nodes.push_back(model);
    }
  }
  return nodes;
}

}  // namespace muster::engines
