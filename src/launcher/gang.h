#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/record.h"

namespace muster::launcher {

// One process of a job, described by its environment.
struct GangMember {
  pid_t pid = 0;
  int node = 0;
  std::string role;
  int job_rank = -1;  // MUSTER_RANK; -1: not set, because a framework's launcher starts the ranks
  int own_rank = -1;  // the framework's number, such as RANK; -1: the process is not a rank
};

struct GangLook {
  int64_t now_ms = 0;  // steady
  std::vector<GangMember> members;
  std::vector<std::pair<pid_t, pid_t>> links;  // processes with a TCP connection between them
  bool trains = false;                         // a rank has printed a step, a loss or a throughput
};

// Decides whether the ranks of a job form one world: all ranks are joined by TCP connections,
// direct ones or through other processes of the job. Ranks that never connect train alone, and
// nothing else fails then. Pure: looks and times are given to it.
class Gang {
 public:
  void Take(const GangLook& look);

  // What is worth a note now; the same finding is returned once.
  std::vector<GangNote> TakeNotes(int64_t now_ms);
  // The same when all ranks have ended well.
  std::vector<GangNote> TakeNotesAtEnd();
  // All ranks are joined, and no new rank has appeared for a while.
  bool IsComplete(int64_t now_ms) const;

 private:
  using Key = std::string;  // of a rank, or of a process that is not a rank
  Key Root(Key key) const;
  void Link(const Key& a, const Key& b);
  std::vector<std::vector<Key>> Groups() const;  // of ranks
  bool IsApart() const { return Groups().size() > 1; }
  std::vector<GangNote> NoteApart();
  void TakeDuplicates(const GangLook& look);

  std::map<Key, std::string> ranks_;  // and the name of each for people
  std::map<Key, Key> parents_;
  int64_t last_new_ms_ = 0;
  std::optional<int64_t> together_ms_;  // since when two ranks or more were there
  std::optional<int64_t> trains_ms_;    // since when they train
  int looks_together_ = 0;
  bool has_framework_ = false;  // a rank has a framework's number
  bool noted_apart_ = false;
  bool noted_duplicate_ = false;
  int looks_with_duplicate_ = 0;
  std::string duplicate_;  // the sentence
};

}  // namespace muster::launcher
