#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::os {

// A process as shown in /proc.
struct ProcessInfo {
  pid_t pid = 0;
  pid_t ppid = 0;
  pid_t pgid = 0;
  char state = '?';          // 'Z' when its main thread has ended
  int threads = 1;           // including the main thread
  uint64_t start_ticks = 0;  // since boot; identifies the process together with the pid
  int wait_status = 0;       // of a zombie: its wait status; 0 if the kernel does not report it
  std::string comm;
};

Result<ProcessInfo> ReadProcess(pid_t pid);
// False for a zombie. A process whose main thread has ended shows state 'Z' while its other threads
// run; such a process is alive.
bool IsAlive(const ProcessInfo& process);
std::vector<ProcessInfo> AllProcesses();
// The children of the caller, including zombies and those of all its threads; empty if the kernel
// does not list them.
std::vector<pid_t> Children();
// All living descendants of `root` by parent links, without zombies and without `root`.
std::vector<ProcessInfo> Descendants(pid_t root);
// Living processes other than the caller whose environment contains the entry `mark`
// ("NAME=value").
std::vector<ProcessInfo> ProcessesMarked(std::string_view mark);
// A variable of the environment with which the process was started. Nothing if it is not set or the
// process has ended.
std::optional<std::string> VariableOf(pid_t pid, std::string_view name);
std::string CommandLine(pid_t pid);
// Whether the process handles the signal, so that sending the signal does not kill it.
bool Catches(pid_t pid, int signal);

}  // namespace muster::os
