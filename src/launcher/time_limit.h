#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "model/order.h"
#include "os/loop.h"

namespace muster::launcher {

// When, counted from the start of the ranks, the warning is due and when the limit is reached.
struct LimitPlan {
  std::optional<int64_t> warn_ms;
  std::optional<int64_t> stop_ms;
  int signal = 0;  // of the warning
};
// A warning time as long as the limit, or longer, becomes half of it: a rank that is told at its
// first breath could do nothing with it. No warning without a signal of a known name. Pure.
LimitPlan PlanLimit(const NodeOrder& order);

// The number of "USR1", "SIGUSR1" and the like; 0 when there is no such signal.
int SignalNumber(std::string_view name);

// The running clock of the limit.
class TimeLimit {
 public:
  explicit TimeLimit(os::Loop& loop) : loop_(loop) {}
  ~TimeLimit() { Cancel(); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  void Start(const LimitPlan& plan, std::function<void()> warn, std::function<void()> stop);
  void Cancel();

 private:
  os::Loop& loop_;
  os::Loop::Id warn_ = 0;
  os::Loop::Id stop_ = 0;
};

}  // namespace muster::launcher
