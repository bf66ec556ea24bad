#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/allocation.h"
#include "model/order.h"
#include "model/spec.h"

namespace muster::dialect {

// The paths of an attempt, chosen by the server; all absolute.
struct Places {
  JobId job = 0;
  int attempt = 1;
  std::string token;
  std::string job_dir;      // …/jobs/<id>
  std::string attempt_dir;  // …/jobs/<id>/attempts/<n>
  std::string code_dir;     // …/code/<hash>; empty without code
  std::string muster;       // path of the executable on the nodes (for the ssh replacement)
  std::string data_dir;     // of the server
  // Size limit of the input cache on each machine in bytes; 0 for a share of its disk.
  int64_t cache_limit = 0;
};

// The number of ports that a framework needs on each node; the engine reserves them before Plan.
int PortsPerNode(const JobSpec& spec);
// Consecutive ports that must be the same on every node; the engine reserves them as well.
int CommonPorts(const JobSpec& spec);

// Spec and allocation to one order per node: environment, files, folder and command of every rank.
// Pure. kInvalid if the framework cannot be started this way; the text names alternatives.
Result<std::vector<NodeOrder>> Plan(const JobSpec& spec, const Allocation& allocation,
                                    const Places& places);

// The folder on a node in which Paddle's launcher stores the output of its ranks; the launcher
// forwards only that of the first rank.
inline constexpr const char* kPaddleLogFolder = "paddle";

// What `muster plan` shows at most: a plan is held in memory, with every rank's environment.
inline constexpr int kMostPlannedNodes = 4096;
inline constexpr int kMostPlannedRanks = 32'768;
// kInvalid when the job is larger than that.
Status CheckPlanSize(const JobSpec& spec);

// One name that `framework:` accepts, with a description for --help and completion.
struct FrameworkInfo {
  const char* name;
  const char* summary;
};
std::vector<FrameworkInfo> Frameworks();

// An allocation for `muster plan` without a server: nodes node-0 … with addresses 127.77.0.1 … and
// devices 0 … count-1.
Allocation SketchAllocation(const JobSpec& spec);

}  // namespace muster::dialect
