#pragma once

#include <sys/types.h>

#include "launcher/hooks.h"
#include "launcher/rank_end.h"
#include "launcher/starter.h"
#include "model/order.h"
#include "os/loop.h"

namespace muster::launcher {

// The process of meanwhile.h beside the ranks of a node, where its order has something to copy
// while they run; started again when something killed it. What it copies is copied once more, and
// completely, when the job has ended, so it is simply killed at the end. Lives on the loop.
class Shipper {
 public:
  // All outlive it.
  Shipper(os::Loop& loop, const NodeOrder& order, const HookRunner& hooks, const Starter& starter)
      : loop_(loop), order_(order), hooks_(hooks), starter_(starter) {}
  ~Shipper() { loop_.Cancel(timer_); }
  Shipper(const Shipper&) = delete;
  Shipper& operator=(const Shipper&) = delete;

  void Start();  // with the ranks; nothing when there is nothing to copy
  // Whether the child was it. Whoever waits for it to be gone can go on.
  bool Take(const EndedChild& child);
  // Kills it for good; true while it is not gone yet.
  bool End();
  bool running() const { return pid_ > 0; }

 private:
  Status Spawn();

  os::Loop& loop_;
  const NodeOrder& order_;
  const HookRunner& hooks_;
  const Starter& starter_;
  pid_t pid_ = -1;
  int starts_ = 0;
  bool ended_ = false;
  os::Loop::Id timer_ = 0;
};

}  // namespace muster::launcher
