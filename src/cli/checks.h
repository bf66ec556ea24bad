#pragma once

#include <string>
#include <vector>

#include "os/file.h"

namespace muster::cli {

// One thing that `muster doctor` looked at.
struct Check {
  enum class Grade { kOk, kWarn, kFail };
  std::string name;  // "cgroups"
  Grade grade = Grade::kOk;
  std::string found;
  std::string next;  // what to do when it is not ok
};

// What of this machine matters to jobs. Looks only; what it makes for a look it removes.
std::vector<Check> MachineChecks(const os::Path& data);

// Single ones, for tests.
Check CheckDataFolder(const os::Path& data);
Check CheckOpenFiles();
Check CheckLockedMemory();
Check CheckCgroups();
Check CheckDevices();
// `program` as in a job's `python:`; both lines are about it.
std::vector<Check> CheckPython(const std::string& program);

}  // namespace muster::cli
