#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/cgroup_mounts.h"
#include "os/file.h"

namespace muster::os {

// A control group in every writable hierarchy: version 2 (also as the "unified" mount beside
// version 1), version 1 memory, and version 1 pids and freezer where version 2 cannot kill. On
// machines without a writable hierarchy `Create` fails with kUnavailable, and callers use process
// groups and attempt marks.
class Cgroup {
 public:
  // Creates the group "muster/<name>", or finds it after a crash. `name` is a single path
  // component.
  static Result<Cgroup> Create(const std::string& name, std::optional<int64_t> memory_limit);
  // Finds an existing group; kNotFound if no hierarchy has it.
  static Result<Cgroup> Find(const std::string& name);

  const std::string& name() const { return name_; }
  // Whether the memory limit given to Create is enforced; true without a limit.
  bool limits_memory() const { return limits_memory_; }
  // The files to which a child writes "0" to join the group before its program starts; Spawn does
  // this. Without a memory limit, version 1 memory is omitted if version 2 contains the child: it
  // only accounts memory, and creating, joining and removing it costs more than a short job.
  // JoinLate adds it.
  std::vector<Path> ProcsFiles() const;
  // Creates the group in the hierarchies that ProcsFiles omits, and moves all members there.
  void JoinLate() const;
  // The same group for a caller that knows that JoinLate is never called.
  Cgroup WithoutLate() const;
  // The process ids that the kernel lists, including nested groups; without dead processes.
  std::set<pid_t> Listed() const;
  // The living members, including nested groups.
  std::vector<pid_t> Members() const;
  // Whether the kernel lists any member. Members may return none for programs that fork and exit
  // continuously, because each process is gone when it is examined; Stirs detects them.
  bool Stirs() const;
  // Sends SIGKILL to every member: by cgroup.kill if available, else freeze, kill, thaw, until none
  // is left or 100 rounds have passed. Afterwards start no process in the group; remove and create
  // it again instead, because some kernels (6.18) kill every process that is created in a group
  // that was killed before.
  void KillAll() const;
  // The number of members that the kernel killed because of the memory limit.
  int64_t OomKills() const;
  std::optional<int64_t> PeakMemory() const;
  // Removes the group and its nested groups. Waits up to a second for dying members; an Error if
  // they stay alive.
  Status Remove() const;

 private:
  Cgroup(std::string name, std::vector<Path> dirs)
      : name_(std::move(name)), dirs_(std::move(dirs)) {}
  std::string name_;
  std::vector<Path> WithLate() const;

  std::vector<Path> dirs_;         // one per hierarchy
  std::vector<CgroupMount> late_;  // hierarchies that JoinLate adds, possibly not yet created
  bool limits_memory_ = true;
};

// Creates the parent of all version 2 groups once. A process that forks other processes that create
// groups calls it first; they then create only their own groups.
void PrepareCgroups();

}  // namespace muster::os
