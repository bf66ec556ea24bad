#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "launcher/metrics_files.h"
#include "launcher/series.h"
#include "model/order.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/loop.h"

namespace muster::launcher {

// Follows the logs and the metrics files of this node's ranks: rank<r>.idx gets "<wall_ms> <size>"
// for each look at which the log had grown, `series` the values of a rank at most once per second.
// Lines that cannot be written are left out.
class Follower {
 public:
  // `note` gets a text for the user when a metrics file has lines that are not read.
  Follower(os::Loop& loop, const NodeOrder& order, std::function<void(std::string)> note)
      : loop_(loop), order_(order), note_(std::move(note)) {}
  ~Follower() { loop_.Cancel(timer_); }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  void Start();   // after the ranks have started, so that their logs exist
  void Finish();  // the final look, after the ranks have ended
  // Whether a rank has printed a step, a loss or a throughput.
  bool HasTrained() const;

 private:
  struct Log {
    os::Path path;
    os::Fd file;       // for reading
    os::Fd index;      // opened for its first line
    int64_t size = 0;  // at the last look
    SeriesReader series;
    MetricsFile metrics;
    bool read_log = false;  // the first rank of a role
  };
  enum class Look { kOneOfMany, kLast };
  void Tick();
  void LookAtSizes();
  void LookAtNumbers(Look look);
  void LookAtReports(Log& log);

  os::Loop& loop_;
  const NodeOrder& order_;
  std::function<void(std::string)> note_;
  std::vector<Log> logs_;
  os::Fd series_;
  os::Loop::Id timer_ = 0;
  int ticks_ = 0;
};

}  // namespace muster::launcher
