#pragma once

#include <functional>
#include <vector>

#include "launcher/rank_end.h"
#include "os/fd.h"
#include "os/loop.h"

namespace muster::launcher {

// Blocks the signals that the launcher takes from its loop and ignores those that must not end it:
// the server's terminal goes away, a pipe breaks, a file hits its size limit. Makes this process
// the one that inherits all orphans below it. Called once, before anything is started.
Status PrepareProcess();

// The only place that waits for children: every one of them, known or inherited.
class Signals {
 public:
  using Ended = std::function<void(const std::vector<EndedChild>&)>;
  // `ended` gets all that one look found; `asked` runs when somebody sends SIGTERM.
  Signals(os::Loop& loop, Ended ended, std::function<void()> asked);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Takes what has ended by now, without waiting for the loop.
  void Reap();

 private:
  void OnReadable();

  os::Loop& loop_;
  Ended ended_;
  std::function<void()> asked_;
  os::Fd fd_;
  os::Loop::Id watch_ = 0;
};

}  // namespace muster::launcher
