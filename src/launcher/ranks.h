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

// The ranks of this node: started once, signalled together, taken one by one as they end.
class Ranks {
 public:
  // Both outlive the ranks.
  Ranks(const NodeOrder& order, const Starter& starter) : order_(order), starter_(starter) {}

  struct Started {
    std::vector<RecordBody> lines;  // RankStarted of every rank that executes
    std::optional<RankEnded>
        failed;  // the one that could not start; those behind it were not tried
  };
  Started StartAll();

  // The end of a rank, or nothing when the child was none.
  std::optional<RankEnded> Take(const EndedChild& child, EndContext context);
  // Remembers which of these processes were killed below a rank and nobody has waited for: a
  // framework's own launcher that is stopped now tells of them no more. The rank's end will.
  void NoteKilled(const std::vector<os::ProcessInfo>& all);
  // To the process group of every rank that has not ended.
  void Signal(int signal) const;
  // To the topmost process of each rank that has a handler for it: a warning must not kill a rank,
  // or a data loader of one, that never asked for it.
  void Warn(int signal) const;
  std::set<pid_t> Groups() const;  // those that Signal reaches

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
  int64_t oom_kills_ = 0;  // of the group, already blamed on ranks
};

}  // namespace muster::launcher
