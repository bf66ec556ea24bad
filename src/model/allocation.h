#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace muster {

// One machine (or virtual node) that an engine offers.
struct NodeInfo {
  std::string name;     // unique; also its host name where the kernel lets us set one
  std::string address;  // where its ranks are reached: a loopback address for virtual nodes
  bool is_virtual = false;
  std::map<std::string, int> devices;           // kind -> how many; cpu slots too
  std::map<std::string, std::string> models;    // kind -> "NVIDIA H200", where known
  std::map<int, std::string> device_addresses;  // NPU -> address of its own network card
  int64_t memory = 0;   // bytes that the jobs on `machine` may use together; 0: not known, no limit
  std::string machine;  // nodes of one machine share its memory; empty: the node is a machine
};

// What one launcher of an attempt was given. Node indices of an attempt count 0, 1, … over its
// roles in order; two indices may stand on one machine when they are of different roles.
struct NodeShare {
  int index = 0;
  std::string role;
  std::string node;  // NodeInfo::name
  std::string address;
  bool is_virtual = false;
  std::string kind;
  std::vector<int> devices;  // device numbers on that node, ascending
  std::vector<int> ports;    // free on that node, reserved until the attempt has ended
  std::map<int, std::string> device_addresses;  // of NPUs, where the node knows them
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
