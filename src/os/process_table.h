#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::os {

// One line of /proc.
struct ProcessInfo {
  pid_t pid = 0;
  pid_t ppid = 0;
  pid_t pgid = 0;
  char state = '?';          // 'Z' when its first thread has ended
  int threads = 1;           // that one included
  uint64_t start_ticks = 0;  // since boot; with the pid, names a process for good
  int wait_status = 0;       // of a zombie: what wait() will tell; 0 where the kernel does not say
  std::string comm;
};

Result<ProcessInfo> ReadProcess(pid_t pid);
// False for a zombie, which only waits to be reaped. A process whose first thread has ended shows
// the same state while its other threads go on: that one lives.
bool IsAlive(const ProcessInfo& process);
std::vector<ProcessInfo> AllProcesses();
// The caller's own children, zombies included, those of all its threads; empty where the kernel
// does not tell.
std::vector<pid_t> Children();
// All living descendants of `root` by parent links, zombies left out, `root` itself not included.
std::vector<ProcessInfo> Descendants(pid_t root);
// Living processes whose environment has the entry `mark` ("NAME=value"), the caller left out.
std::vector<ProcessInfo> ProcessesMarked(std::string_view mark);
// One variable of a process's environment as it was started; nothing when it has none of that name,
// or the process is gone.
std::optional<std::string> VariableOf(pid_t pid, std::string_view name);
std::string CommandLine(pid_t pid);
// Whether the process has a handler for the signal, so that sending it tells and does not kill.
bool Catches(pid_t pid, int signal);

}  // namespace muster::os
