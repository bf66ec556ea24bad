#pragma once

#include <sys/resource.h>

#include <cstddef>

// What Spawn's child does between its birth and exec. It shares the memory of its parent, whose
// calling thread stands still meanwhile, so everything it reads is made before and nothing here
// allocates, locks or throws.
namespace muster::os {

enum class SpawnStep {
  kNone,  // as far as the program itself
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
  const char* cwd;  // null: the caller's
  const char* const* cgroup_procs;
  size_t cgroup_count;
  const SpawnLimit* limits;
  size_t limit_count;
  int fds[3];          // what becomes 0, 1 and 2; none of them below 3
  int descriptor_end;  // where to stop closing one by one on kernels without close_range
  bool new_session;
  bool new_group;

  // Written by the child when a step fails.
  SpawnStep failed = SpawnStep::kNone;
  size_t index = 0;  // which cgroup, limit or descriptor
  int error = 0;
};

// The child's main function, for clone(2) with CLONE_VM; `plan` is a SpawnPlan. Returns only when a
// step failed.
int SpawnChild(void* plan);

}  // namespace muster::os
