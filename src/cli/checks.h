#pragma once

#include <string>
#include <vector>

#include "os/file.h"

namespace muster::cli {

// A check of `muster doctor`.
struct Check {
  enum class Grade { kOk, kWarn, kFail };
  std::string name;  // "cgroups"
  Grade grade = Grade::kOk;
  std::string found;
  std::string next;  // what to do if it is not ok
};

// Checks the properties of this machine that matter to jobs. Removes everything that it creates.
std::vector<Check> MachineChecks(const os::Path& data);

// Single checks, for tests.
Check CheckDataFolder(const os::Path& data);
Check CheckOpenFiles();
Check CheckLockedMemory();
Check CheckCgroups();
Check CheckDevices();
// `program` as in a job's `python:`. Returns two lines.
std::vector<Check> CheckPython(const std::string& program);

}  // namespace muster::cli
