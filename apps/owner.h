#pragma once

#include <sys/types.h>

#include <functional>
#include <set>

#include "lifecycle/conductor.h"
#include "os/fd.h"
#include "os/loop.h"
#include "store/journal.h"

namespace muster::apps {

// A server that was started for one process, its parent, and is of no use without it: when that has
// ended, however it ended, every job is stopped and `done` runs. Lives on the loop's thread.
class OwnerWatch {
 public:
  OwnerWatch(os::Loop& loop, lifecycle::Conductor& conductor, store::Journal& journal,
             std::function<void()> done)
      : loop_(loop), conductor_(conductor), journal_(journal), done_(std::move(done)) {}
  ~OwnerWatch();
  OwnerWatch(const OwnerWatch&) = delete;
  OwnerWatch& operator=(const OwnerWatch&) = delete;

  void Start(pid_t owner);

 private:
  void StopJobs();

  os::Loop& loop_;
  lifecycle::Conductor& conductor_;
  store::Journal& journal_;
  const std::function<void()> done_;
  os::Fd process_;  // readable when the owner has ended
  os::Loop::Id watch_ = 0;
  os::Loop::Id timer_ = 0;
  std::set<JobId> asked_;
};

}  // namespace muster::apps
