#pragma once

#include <sys/resource.h>

#include <cstddef>

// The code of Spawn's child between clone and exec. The child shares the memory of its parent,
// whose calling thread is suspended: all data is prepared before, and nothing here allocates, locks
// or throws.
namespace muster::os {

enum class SpawnStep {
  kNone,  // all steps up to exec succeeded
  kSession,
  kCgroup,
  kLimit,
  kChdir,
  kDescriptors,
  kExec,
};

struct SpawnLimit {
  int resource;
  rlimit value;
};

struct SpawnPlan {
  const char* program;
  char* const* argv;
  char* const* env;
  const char* cwd;  // null for the caller's folder
  const char* const* cgroup_procs;
  size_t cgroup_count;
  const SpawnLimit* limits;
  size_t limit_count;
  int fds[3];  // become 0, 1 and 2; all are above 2
  // Upper bound for closing descriptors one by one on kernels without close_range.
  int descriptor_end;
  bool new_session;
  bool new_group;

  // Written by the child if a step fails.
  SpawnStep failed = SpawnStep::kNone;
  size_t index = 0;  // index of the cgroup, limit or descriptor
  int error = 0;
};

// The main function of the child for clone(2) with CLONE_VM; `plan` is a SpawnPlan. Returns only if
// a step failed.
int SpawnChild(void* plan);

}  // namespace muster::os
