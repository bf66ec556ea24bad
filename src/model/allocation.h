#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace muster {

// A machine or virtual node that an engine offers.
struct NodeInfo {
  std::string name;     // unique; also its host name if the kernel permits
  std::string address;  // address of its ranks: a loopback address for virtual nodes
  bool is_virtual = false;
  std::map<std::string, int> devices;           // device kind to count, including cpu slots
  std::map<std::string, std::string> models;    // device kind to "NVIDIA H200", if known
  std::map<int, std::string> device_addresses;  // NPU number to the address of its network card
  int64_t memory = 0;   // bytes that the jobs on `machine` may use together; 0: not known, no limit
  std::string machine;  // nodes of one machine share its memory; empty: the node is a machine
};

// The share of an attempt on one node. Node indices of an attempt count over its roles in order;
// two indices of different roles may be on one machine.
struct NodeShare {
  int index = 0;
  std::string role;
  std::string node;  // NodeInfo::name
  std::string address;
  bool is_virtual = false;
  std::string kind;
  std::vector<int> devices;  // device numbers on that node, ascending
  std::vector<int> ports;    // free on that node, reserved until the attempt ends
  std::map<int, std::string> device_addresses;  // of NPUs, if known
};

struct Allocation {
  std::vector<NodeShare> nodes;
  // Consecutive ports, the same and free on every node: some launchers make the endpoints of all
  // nodes from their own first port.
  std::vector<int> common_ports;
};

json::object ToJsonObject(const Allocation& allocation);
Allocation AllocationFromJson(const json::object& object);

}  // namespace muster
