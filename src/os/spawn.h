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

// What the child is the first of. A group can be signalled as one. A session is also what Linux
// shares processors between (sched_autogroup).
enum class Leads { kNothing, kGroup, kSession };

struct SpawnOptions {
  std::vector<std::string> argv;   // argv[0] is looked up in PATH of `env` unless it has a '/'
  std::vector<std::string> env;    // "NAME=value", the whole environment
  Path cwd;                        // empty: the caller's
  int stdin_fd = -1;               // -1: /dev/null
  int stdout_fd = -1;              // -1: /dev/null
  int stderr_fd = -1;              // -1: same as stdout_fd
  std::vector<Path> cgroup_procs;  // cgroup.procs files the child writes itself into
  std::vector<std::pair<int, rlimit>> limits;
  Leads leads = Leads::kSession;
};

struct Child {
  pid_t pid = -1;
  Fd pidfd;  // readable when the child has ended
};

// Starts a program: clean signal mask and dispositions, no descriptors beyond 0-2. A failure to get
// as far as the program (not found, not executable, no such folder, cgroup refused) is an Error
// that names the step and leaves no child behind; it is never seen as an exit code.
Result<Child> Spawn(const SpawnOptions& options);

// The file that `name` stands for: itself with a '/', else looked up in `path_variable`.
Result<Path> FindProgram(const std::string& name, std::string_view path_variable, const Path& cwd);

}  // namespace muster::os
