#pragma once

#include <functional>
#include <vector>

#include "launcher/rank_end.h"
#include "os/fd.h"
#include "os/loop.h"

namespace muster::launcher {

// Blocks the signals that the launcher receives through its loop, and ignores SIGHUP, SIGPIPE and
// SIGXFSZ, which must not end it. Makes this process the subreaper of all its descendants. Called
// once, before any process is started.
Status PrepareProcess();

// The only place that reaps children: started ones and adopted ones.
class Signals {
 public:
  using Ended = std::function<void(const std::vector<EndedChild>&)>;
  // `ended` receives all children found in one look; `asked` runs on SIGTERM.
  Signals(os::Loop& loop, Ended ended, std::function<void()> asked);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Reaps children that have ended, without waiting for the loop.
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
