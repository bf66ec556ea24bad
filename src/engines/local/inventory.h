#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/allocation.h"
#include "os/devices.h"

namespace muster::engines {

// What this machine is, found once at the start of the server.
struct Machine {
  std::string name;
  int cpus = 1;
  std::vector<os::Device> devices;
  std::map<std::string, int> declared;  // kinds and counts from the configuration; they win
  int64_t memory = 0;                   // bytes for jobs
};
Machine FindMachine();

// The part of a machine's memory that jobs may use: all but 5 %, and at least 512 MiB less.
int64_t MemoryForJobs(int64_t total);

// Every node of the machine shares its memory, virtual nodes as well.
void ShareMemory(const Machine& machine, std::vector<NodeInfo>& nodes);

// This machine as one node at 127.0.0.1.
NodeInfo RealNode(const Machine& machine);

// Virtual nodes: "4x8npu", "1x2gpu+4cpu", "2x8npu,1x2gpu". Each gets a name node-<k>, a loopback
// address 127.77.0.<k+1>, and this machine's CPU count as cpu slots unless it says otherwise.
Result<std::vector<NodeInfo>> ParseVirtualNodes(std::string_view text, int cpus);

}  // namespace muster::engines
