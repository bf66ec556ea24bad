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

// What a sweep met. `left` is what the last look still saw: only 0 proves cleanness.
struct SweepResult {
  int found = 0;   // different processes seen at any look
  int killed = 0;  // how many of them had to be killed
  int left = 0;
  std::vector<std::string> names;  // of those found, each once, at most 16
  int64_t took_ms = 0;             // from the first look to the last
};

// The two names by which everything that one node of an attempt runs is found again, also after its
// launcher died. Several nodes of an attempt may stand on one machine, so both name the node.
std::string NodeGroupName(int64_t job, int attempt, int node, std::string_view token);
std::string NodeMark(std::string_view token, int node);  // "MUSTER_NODE_MARK=<token>.<node>"

struct SweepTarget {
  std::string cgroup;        // a group of os::Cgroup; empty or missing: none
  std::string mark;          // an environment entry, "NAME=value"; empty: none
  bool descendants = false;  // everything below the caller, which is their subreaper and reaps them
  std::optional<Cgroup> group = {};  // the one of that name, when the caller has all of it at hand
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

  // What lives now, each process once; counted in the result.
  std::vector<ProcessInfo> Look();
  // Whether somebody is there whom a look missed: a program that forks and ends all the time, or a
  // child whose parent ended while /proc was being read. What the kernel says to this is no
  // snapshot that can be torn: a group that lists anyone, or a caller that has any child. Where the
  // look itself was told of nobody, there is nobody who could have forked since.
  bool Stirs() const;
  // A look, and SIGKILL to whatever it saw or missed. True when nothing is there.
  bool Step();
  const SweepResult& result() const { return result_; }
  // Gives up the empty control group; an Error while something lives in it.
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
  bool silent_ = false;    // the kernel named nobody at the last look
  int64_t began_ms_ = -1;  // steady
  SweepResult result_;
};

// Sends `signal` to exactly this process: false when it is gone, its number given to another
// included.
bool SignalExactly(const ProcessInfo& process, int signal);

// For a target whose launcher is dead: looks and kills until a look finds nothing or `limit_ms`
// have passed, then removes the group. Blocks; `left` tells which of the two it was.
SweepResult SweepNow(const std::string& cgroup, const std::string& mark, int64_t limit_ms);

}  // namespace muster::os
