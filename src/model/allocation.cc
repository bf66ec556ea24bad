#include "model/allocation.h"

#include "base/text.h"

namespace muster {
namespace {

json::array Numbers(const std::vector<int>& values) {
  return json::array(values.begin(), values.end());
}

std::vector<int> NumbersFrom(const json::object& object, std::string_view key) {
  std::vector<int> values;
  if (const auto* array = GetArray(object, key))
    for (const auto& item : *array)
      if (item.is_int64()) values.push_back(int(item.get_int64()));
  return values;
}

std::map<int, std::string> AddressesFrom(const json::object& node) {
  std::map<int, std::string> addresses;
  const auto* members = GetObject(node, "device_addresses");
  if (members == nullptr) return addresses;
  for (const auto& member : *members) {
    const auto device = ParseInt(member.key());
    if (device && member.value().is_string())
      addresses.emplace(int(*device), member.value().get_string());
  }
  return addresses;
}

}  // namespace

json::object ToJsonObject(const Allocation& allocation) {
  json::array nodes;
  for (const auto& share : allocation.nodes) {
    nodes.push_back(json::object{{"index", share.index},
                                 {"role", share.role},
                                 {"node", share.node},
                                 {"address", share.address},
                                 {"virtual", share.is_virtual},
                                 {"kind", share.kind},
                                 {"devices", Numbers(share.devices)},
                                 {"ports", Numbers(share.ports)}});
    if (share.device_addresses.empty()) continue;
    json::object addresses;
    for (const auto& [device, address] : share.device_addresses)
      addresses[std::to_string(device)] = address;
    nodes.back().get_object()["device_addresses"] = std::move(addresses);
  }
  json::object object{{"nodes", std::move(nodes)}};
  if (!allocation.common_ports.empty()) object["common_ports"] = Numbers(allocation.common_ports);
  return object;
}

Allocation AllocationFromJson(const json::object& object) {
  Allocation allocation;
  const auto* nodes = GetArray(object, "nodes");
  if (nodes == nullptr) return allocation;
  allocation.common_ports = NumbersFrom(object, "common_ports");
  for (const auto& item : *nodes) {
    const auto* node = item.if_object();
    if (node == nullptr) continue;
    allocation.nodes.push_back(
        {int(GetInt(*node, "index")), std::string(GetString(*node, "role")),
         std::string(GetString(*node, "node")), std::string(GetString(*node, "address")),
         GetBool(*node, "virtual"), std::string(GetString(*node, "kind")),
         NumbersFrom(*node, "devices"), NumbersFrom(*node, "ports"), AddressesFrom(*node)});
  }
  return allocation;
}

}  // namespace muster
