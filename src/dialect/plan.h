#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/allocation.h"
#include "model/order.h"
#include "model/spec.h"

namespace muster::dialect {

// Where things of this attempt are, decided by the server; all absolute.
struct Places {
  JobId job = 0;
  int attempt = 1;
  std::string token;
  std::string job_dir;      // …/jobs/<id>
  std::string attempt_dir;  // …/jobs/<id>/attempts/<n>
  std::string code_dir;     // …/code/<hash>, empty: no code
  std::string muster;       // path of the executable on the nodes (the login stand-in for mpirun)
  std::string data_dir;     // of the server
  int64_t cache_limit = 0;  // of fetched inputs on each machine, bytes; 0: a share of its disk
};

// Ports that a framework needs on each node of an allocation; the engine reserves them before Plan.
int PortsPerNode(const JobSpec& spec);
// Consecutive ports that must be the same on every node; the engine reserves them as well.
int CommonPorts(const JobSpec& spec);

// Spec + allocation = one order a node: for every rank its environment, files, folder and command.
// Pure. kInvalid when the framework cannot be started this way; the text says what can.
Result<std::vector<NodeOrder>> Plan(const JobSpec& spec, const Allocation& allocation,
                                    const Places& places);

// The folder of a node in which Paddle's launcher keeps the output of its ranks; it passes on that
// of the first one alone.
inline constexpr const char* kPaddleLogFolder = "paddle";

// What `muster plan` shows at most: a plan is held in memory, with every rank's environment.
inline constexpr int kMostPlannedNodes = 4096;
inline constexpr int kMostPlannedRanks = 32'768;
// kInvalid when the job is larger than that.
Status CheckPlanSize(const JobSpec& spec);

// Names accepted in `framework:`, and what each is, for --help and completion.
struct FrameworkInfo {
  const char* name;
  const char* summary;
};
std::vector<FrameworkInfo> Frameworks();

// An allocation for `muster plan` when no server is asked: nodes node-0 … with addresses 127.77.0.1
// … and the devices 0 … count-1.
Allocation SketchAllocation(const JobSpec& spec);

}  // namespace muster::dialect
