#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "os/file.h"

namespace muster::os {

// Whether the child leads a process group or a session. A process group can be signalled as a unit.
// Linux shares processors between sessions (sched_autogroup).
enum class Leads { kNothing, kGroup, kSession };

struct SpawnOptions {
  std::vector<std::string> argv;   // argv[0] is looked up in PATH of `env` unless it has a '/'
  std::vector<std::string> env;    // "NAME=value", the whole environment
  Path cwd;                        // empty for the caller's folder
  int stdin_fd = -1;               // -1: /dev/null
  int stdout_fd = -1;              // -1: /dev/null
  int stderr_fd = -1;              // -1: same as stdout_fd
  std::vector<Path> cgroup_procs;  // cgroup.procs files through which the child joins groups
  std::vector<std::pair<int, rlimit>> limits;
  Leads leads = Leads::kSession;
};

struct Child {
  pid_t pid = -1;
  Fd pidfd;  // readable when the child has ended
};

// Starts a program with a clean signal mask, default dispositions, and no descriptors above 2. If
// the program cannot be executed (not found, not executable, missing folder, refused cgroup),
// returns an Error that names the step and leaves no child; such a failure never looks like an exit
// code.
Result<Child> Spawn(const SpawnOptions& options);

// The file for `name`: the name itself if it contains '/', else the first match in `path_variable`.
Result<Path> FindProgram(const std::string& name, std::string_view path_variable, const Path& cwd);

}  // namespace muster::os
