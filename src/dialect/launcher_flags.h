#pragma once

#include <string>
#include <vector>

#include "model/spec.h"

namespace muster::dialect {

// Flags of a framework's own launcher (torchrun, msrun, mpirun …) in a job's command, compared with
// the shape of the job. Flags win over the variables that Muster sets, so a wrong one makes ranks
// wait for processes that nobody starts, or train in separate worlds.
struct FlagFault {
  std::string role;
  std::string found;     // "--nnodes=1 of torchrun"
  std::string expected;  // "2, as the job has 2 nodes"
  std::string hint;
};
std::vector<FlagFault> FindFlagFaults(const JobSpec& spec);

// What is allowed but probably not meant, such as fewer ranks than devices.
std::vector<std::string> FlagNotes(const JobSpec& spec);

}  // namespace muster::dialect
