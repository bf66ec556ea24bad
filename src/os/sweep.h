#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/cgroup.h"
#include "os/process_table.h"

namespace muster::os {

// The result of a sweep. `left` is the number of processes at the last look; only 0 proves that no
// process is left.
struct SweepResult {
  int found = 0;   // distinct processes seen at any look
  int killed = 0;  // number of killed processes
  int left = 0;
  std::vector<std::string> names;  // of found processes, each once, at most 16
  int64_t took_ms = 0;             // from the first to the last look
};

// The two identifiers of all processes of one node of an attempt, which also work after its
// launcher died. Several nodes of an attempt may be on one machine, so both contain the node.
std::string NodeGroupName(int64_t job, int attempt, int node, std::string_view token);
std::string NodeMark(std::string_view token, int node);  // "MUSTER_NODE_MARK=<token>.<node>"

struct SweepTarget {
  std::string cgroup;  // a group of os::Cgroup; empty or missing for none
  std::string mark;    // an environment entry "NAME=value"; empty for none
  // Include all descendants of the caller, which is their subreaper and reaps them.
  bool descendants = false;
  std::optional<Cgroup> group = {};  // the group of that name, if the caller has it open
};

// Finds and kills what is left of a target, one look at a time, so that an event loop can do other
// things in between. The caller reaps its own children before each look.
//
// Why a look without the marks can be a proof. A process that the target started is below the
// caller, or below a subreaper which itself is below the caller: the kernel hands every orphan to
// the nearest one. So a caller with no child at all has no descendant, whatever these did (setsid,
// double fork, a cleared environment), and the control group, which children are born into, says
// the same once more. Reading every /proc/<pid>/environ adds nothing to that. It is done when the
// group could not be had, when the caller is not the subreaper (the launcher died), and once after
// something had to be killed, for then something behaved unlike anything expected.
class Sweeper {
 public:
  explicit Sweeper(SweepTarget target);

  // The living processes, each once; counted in the result.
  std::vector<ProcessInfo> Look();
  // Whether a process exists that a look missed: a program that forks and exits continuously, or a
  // child whose parent ended while /proc was read. Uses kernel lists that cannot be torn: the
  // members of the group, and the children of the caller. If the look found no list with entries,
  // no process could have forked since.
  bool Stirs() const;
  // A look, and SIGKILL to all processes that it saw or missed. True if none is left.
  bool Step();
  const SweepResult& result() const { return result_; }
  // Removes the empty control group; an Error while a process lives in it.
  Status RemoveGroup() const;

 private:
  bool MarksNeeded() const;
  void Count(const std::vector<ProcessInfo>& living);
  void Note(const ProcessInfo& process);
  bool KillChildren();

  SweepTarget target_;
  std::optional<Cgroup> group_;
  std::set<std::pair<pid_t, uint64_t>> seen_;
  std::set<std::pair<pid_t, uint64_t>> signalled_;
  bool silent_ = false;    // the kernel listed no process at the last look
  int64_t began_ms_ = -1;  // steady time
  SweepResult result_;
};

// Sends `signal` to exactly this process. False if the process has ended, also if another process
// has its pid.
bool SignalExactly(const ProcessInfo& process, int signal);

// For a target whose launcher is dead: looks and kills until a look finds no process or `limit_ms`
// have passed, then removes the group. Blocks; `left` shows which case applies.
SweepResult SweepNow(const std::string& cgroup, const std::string& mark, int64_t limit_ms);

}  // namespace muster::os
