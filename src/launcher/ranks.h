#pragma once

#include <sys/types.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/rank_end.h"
#include "launcher/starter.h"
#include "model/order.h"
#include "model/record.h"
#include "os/process_table.h"

namespace muster::launcher {

// The ranks of this node: started once, signalled together, reaped one by one.
class Ranks {
 public:
  // Both outlive the ranks.
  Ranks(const NodeOrder& order, const Starter& starter) : order_(order), starter_(starter) {}

  struct Started {
    std::vector<RecordBody> lines;    // RankStarted for every rank that executes
    std::optional<RankEnded> failed;  // the rank that could not start; later ranks were not tried
  };
  Started StartAll();

  // The end of a rank; nothing if the child is not a rank.
  std::optional<RankEnded> Take(const EndedChild& child, EndContext context);
  // Records which unreaped processes below a rank were killed: a framework's launcher that is
  // stopped now cannot report them, but the exit report of the rank will.
  void NoteKilled(const std::vector<os::ProcessInfo>& all);
  // Sends the signal to the process group of every running rank.
  void Signal(int signal) const;
  // Sends the signal to the topmost process of each rank that has a handler: a warning must not
  // kill a rank or its data loader.
  void Warn(int signal) const;
  std::set<pid_t> Groups() const;  // the process groups that Signal reaches

  int living() const { return int(living_.size()); }
  int living_working() const;  // without service ranks

 private:
  struct Living {
    pid_t pid;
    const RankOrder* rank;
    int killed_below = 0;
  };
  Result<pid_t> Start(const RankOrder& rank) const;
  bool SawOomKill();

  const NodeOrder& order_;
  const Starter& starter_;
  std::vector<Living> living_;
  int64_t oom_kills_ = 0;  // of the group, already attributed to ranks
};

}  // namespace muster::launcher
