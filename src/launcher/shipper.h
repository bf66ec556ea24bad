#pragma once

#include <sys/types.h>

#include "launcher/hooks.h"
#include "launcher/rank_end.h"
#include "launcher/starter.h"
#include "model/order.h"
#include "os/loop.h"

namespace muster::launcher {

// Runs the process of meanwhile.h beside the ranks if the order requires it, and restarts it after
// a kill. Everything it copies is copied again completely after the job ended, so it is simply
// killed at the end. Lives on the loop.
class Shipper {
 public:
  // All arguments outlive this object.
  Shipper(os::Loop& loop, const NodeOrder& order, const HookRunner& hooks, const Starter& starter)
      : loop_(loop), order_(order), hooks_(hooks), starter_(starter) {}
  ~Shipper() { loop_.Cancel(timer_); }
  Shipper(const Shipper&) = delete;
  Shipper& operator=(const Shipper&) = delete;

  void Start();  // together with the ranks; no effect if there is nothing to copy
  // Whether the child was the sync process. Callers that wait for its end may proceed.
  bool Take(const EndedChild& child);
  // Kills it permanently; true while it has not ended.
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
