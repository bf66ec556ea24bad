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

// A control group of our own in every hierarchy that is writable: v2 (also as the "unified" mount
// beside v1), v1 memory, and where v2 cannot kill, v1 pids and freezer. On machines that give none,
// `Create` fails with kUnavailable and callers go on with process groups and marks.
class Cgroup {
 public:
  // Makes (or finds again, after a crash) the group "muster/<name>". `name` is a single component.
  static Result<Cgroup> Create(const std::string& name, std::optional<int64_t> memory_limit);
  // Finds an existing group; kNotFound when no hierarchy has it.
  static Result<Cgroup> Find(const std::string& name);

  const std::string& name() const { return name_; }
  // Whether the limit that Create was given holds; true when it was given none.
  bool limits_memory() const { return limits_memory_; }
  // Files a child writes "0" into to join before its program begins; Spawn does it. Without a
  // memory limit, v1 memory is not among them where v2 holds the child already: it only counts
  // there, and making, joining and removing it costs more than a short job. JoinLate does that.
  std::vector<Path> ProcsFiles() const;
  // Makes the group in the hierarchies that ProcsFiles leaves out, and takes all members there.
  void JoinLate() const;
  // The same group for one who knows that JoinLate was not called, nor will be.
  Cgroup WithoutLate() const;
  // Whom the kernel lists, nested groups included; the dead it does not.
  std::set<pid_t> Listed() const;
  // Living members, nested groups included.
  std::vector<pid_t> Members() const;
  // Whether the kernel lists anyone in it; the dead are not listed. Of programs that fork and end
  // all the time Members may see none: each is gone, or a zombie, when it is looked at.
  bool Stirs() const;
  // SIGKILL to every member: cgroup.kill where the kernel has it, else freeze, kill, thaw, until
  // none is left or 100 rounds are over. Start nothing in the group afterwards but remove it and
  // make it again: some kernels (6.18 is one) kill whatever is born into a group that was killed
  // before.
  void KillAll() const;
  // How often the kernel killed a member for memory.
  int64_t OomKills() const;
  std::optional<int64_t> PeakMemory() const;
  // Removes the group, nested groups first. Waits up to a second for members that are dying; an
  // Error when they live on.
  Status Remove() const;

 private:
  Cgroup(std::string name, std::vector<Path> dirs)
      : name_(std::move(name)), dirs_(std::move(dirs)) {}
  std::string name_;
  std::vector<Path> WithLate() const;

  std::vector<Path> dirs_;         // one a hierarchy
  std::vector<CgroupMount> late_;  // hierarchies that JoinLate serves; it may not have come to it
  bool limits_memory_ = true;
};

// Makes what is above all version 2 groups, once. A process that forks others that make groups
// calls it first: they then only make their own.
void PrepareCgroups();

}  // namespace muster::os
