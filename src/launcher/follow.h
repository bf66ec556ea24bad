#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/series.h"
#include "model/order.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/loop.h"

namespace muster::launcher {

// Reads behind the logs of this node's ranks while they run: rank<r>.idx gets "<wall_ms> <size>"
// for each look at which the log had grown, `series` the numbers of a rank at most once a second.
// What cannot be written is left out: both can be made again from the log, but for the times.
class Follower {
 public:
  Follower(os::Loop& loop, const NodeOrder& order) : loop_(loop), order_(order) {}
  ~Follower() { loop_.Cancel(timer_); }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  void Start();   // after the ranks, so that their logs are there
  void Finish();  // the last look, after the ranks

 private:
  struct Log {
    os::Path path;
    os::Fd file;                         // for reading
    os::Fd index;                        // opened with its first line
    int64_t size = 0;                    // at the last look
    std::optional<SeriesReader> series;  // not for every rank
  };
  enum class Look { kOneOfMany, kLast };
  void Tick();
  void LookAtSizes();
  void LookAtNumbers(Look look);

  os::Loop& loop_;
  const NodeOrder& order_;
  std::vector<Log> logs_;
  os::Fd series_;
  os::Loop::Id timer_ = 0;
  int ticks_ = 0;
};

}  // namespace muster::launcher
